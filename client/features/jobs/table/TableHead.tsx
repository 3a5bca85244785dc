/** Column headings and the checkbox that selects all rows in view. */
import { COLUMNS } from './JobLine.tsx'

export interface TableHeadProps {
  readonly isChecked: boolean
  readonly isPartly: boolean
  readonly onToggle: () => void
}

export function TableHead({ isChecked, isPartly, onToggle }: TableHeadProps) {
  return (
    <div
      className={`${COLUMNS} h-8 grid-cols-[1rem_minmax(0,1fr)] items-center border-line border-b text-muted text-xs`}
    >
      <input
        type="checkbox"
        aria-label="Select every row in view"
        checked={isChecked}
        ref={(box) => {
          if (box) box.indeterminate = isPartly && !isChecked
        }}
        onChange={onToggle}
        className="size-4 accent-focus max-sm:-m-1 max-sm:size-6 pointer-coarse:-m-1 pointer-coarse:size-6"
      />
      <span className="sm:hidden">All in view</span>
      <span className="hidden sm:block">Status</span>
      {['Type', 'Job', ''].map((name) => (
        <span key={name} aria-hidden={name === ''} className="hidden sm:block">
          {name}
        </span>
      ))}
      {['Priority', 'Attempts', 'Age'].map((name) => (
        <span key={name} className="hidden text-right sm:block">
          {name}
        </span>
      ))}
    </div>
  )
}

/** The types in the order of their names, which never changes under the reader. */
import { Bone } from '../page/Bone.tsx'
import { COLUMNS, TypeRow } from './TypeRow.tsx'
import { usePause } from './use-pause.ts'
import type { useTypes } from './use-types.ts'

interface TypeListProps extends ReturnType<typeof useTypes> {
  readonly search: string
  readonly onEdit: (name: string) => void
}

export function TypeList({ rows, hasCounts, hasFlow, search, onEdit }: TypeListProps) {
  const { pause, resume } = usePause()
  const found = rows?.filter(({ type }) => type.name.toLowerCase().includes(search.toLowerCase()))
  return (
    <div className="overflow-clip rounded-lg bg-surface ring-1 ring-line">
      <div aria-hidden="true" className={`${COLUMNS} hidden h-8 border-line border-b text-muted text-xs lg:grid`}>
        <span>Type and limits</span>
        <span className="text-right">Backlog</span>
        <span className="text-right">Oldest ready</span>
        <span className="text-right">Done per min</span>
        <span className="text-right">Failing</span>
        <span />
      </div>
      <ul aria-label="Types" aria-busy={!found} className="divide-y divide-line/60">
        {found?.map((entry) => (
          <TypeRow
            key={entry.type.name}
            entry={entry}
            hasCounts={hasCounts}
            hasFlow={hasFlow}
            onPause={() => pause(entry.type.name)}
            onResume={() => resume(entry.type.name)}
            onEdit={() => onEdit(entry.type.name)}
          />
        )) ?? [1, 2, 3, 4].map((n) => <SkeletonType key={n} />)}
      </ul>
      {found?.length === 0 && <p className="p-5 text-muted">No type has “{search}” in its name.</p>}
    </div>
  )
}

function SkeletonType() {
  return (
    <li aria-hidden="true" className="flex min-h-15 items-center gap-4 px-4 sm:px-5">
      <Bone className="h-8 w-2/5" />
      <Bone className="ml-auto h-6 w-40" />
    </li>
  )
}

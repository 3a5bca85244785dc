/** Search input of a list; the URL holds its text. */

export interface SearchFieldProps {
  readonly label: string
  readonly text: string
  readonly onText: (text: string) => void
}

export function SearchField({ label, text, onText }: SearchFieldProps) {
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={label}
      autoComplete="off"
      spellCheck={false}
      maxLength={200}
      value={text}
      onChange={({ target }) => onText(target.value)}
      className="h-8 w-56 max-w-full max-sm:w-full rounded-md bg-surface px-2.5 ring-1 ring-line placeholder:text-faint"
    />
  )
}

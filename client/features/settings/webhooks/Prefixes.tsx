/** Webhook URLs by type prefix; the longest matching prefix wins. */
import { Button } from '../../../ui/Button.tsx'
import { INPUT } from '../../../ui/form/Field.tsx'
import type { Problems } from '../../../ui/form/fields.ts'
import type { PrefixDraft } from './webhook-draft.ts'

export interface PrefixesProps {
  readonly prefixes: readonly PrefixDraft[]
  readonly onPrefixes: (prefixes: readonly PrefixDraft[]) => void
  readonly problems: Problems
}

export function Prefixes({ prefixes, onPrefixes, problems }: PrefixesProps) {
  const edit = (row: number, change: Partial<PrefixDraft>) =>
    onPrefixes(prefixes.map((known) => (known.row === row ? { ...known, ...change } : known)))
  const next = prefixes.reduce((most, { row }) => Math.max(most, row + 1), 0)
  const prefixProblems = Object.entries(problems).filter(([path]) => path.startsWith('webhookUrls'))
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1 font-medium">URLs by type prefix</legend>
      {prefixes.map(({ row, prefix, url }) => (
        <div key={row} className="grid grid-cols-[minmax(0,1fr)_auto] gap-2 sm:grid-cols-[12rem_minmax(0,1fr)_auto]">
          <input
            aria-label="Type prefix"
            placeholder="billing."
            value={prefix}
            onChange={({ target }) => edit(row, { prefix: target.value })}
            className={INPUT}
          />
          <input
            aria-label={`URL for ${prefix || 'this prefix'}`}
            type="url"
            placeholder="off"
            value={url}
            onChange={({ target }) => edit(row, { url: target.value })}
            className={`${INPUT} col-start-1 sm:col-start-auto`}
          />
          <Button
            weight="quiet"
            aria-label={`Remove ${prefix || 'this row'}`}
            onClick={() => onPrefixes(prefixes.filter((known) => known.row !== row))}
            className="col-start-2 row-start-1 sm:col-start-auto sm:row-start-auto"
          >
            Remove
          </Button>
        </div>
      ))}
      {prefixProblems.map(([path, message]) => (
        <p key={path} role="alert" data-tone="failed" className="text-tone-ink text-xs wrap-anywhere">
          {path.replace(/^webhookUrls\.?/, '')} {message}
        </p>
      ))}
      <Button
        isSmall
        className="justify-self-start"
        onClick={() => onPrefixes([...prefixes, { row: next, prefix: '', url: '' }])}
      >
        Add prefix
      </Button>
    </fieldset>
  )
}

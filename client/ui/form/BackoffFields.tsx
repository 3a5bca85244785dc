/** Inputs for a backoff: its kind and the parameters of that kind. */
import { useId } from 'react'
import { BACKOFF_KINDS, type BackoffDraft } from './backoff-draft.ts'
import { SELECT } from './Field.tsx'
import type { Problems } from './fields.ts'
import { TextField } from './TextField.tsx'

export interface BackoffFieldsProps {
  readonly draft: BackoffDraft
  readonly onDraft: (draft: BackoffDraft) => void
  readonly inherited: string
  readonly problems: Problems
  /** Notice that someone else changed the value during editing. */
  readonly conflict: string | undefined
}

export function BackoffFields({ draft, onDraft, inherited, problems, conflict }: BackoffFieldsProps) {
  const id = useId()
  const { kind } = draft
  const edit = (change: Partial<BackoffDraft>) => onDraft({ ...draft, ...change })
  // `capFrom` belongs to the previous growth.
  const editGrowth = (change: Partial<BackoffDraft>) => edit({ ...change, capFrom: '' })
  return (
    <fieldset className="grid gap-3">
      <legend className="sr-only">Backoff</legend>
      <div className="grid gap-1">
        <label htmlFor={id} className="flex min-h-7 items-center font-medium">
          Backoff
        </label>
        <select
          id={id}
          value={kind}
          onChange={({ target }) => editGrowth({ kind: BACKOFF_KINDS.find((known) => known === target.value) ?? '' })}
          className={SELECT}
        >
          <option value="">{inherited}</option>
          {BACKOFF_KINDS.map((known) => (
            <option key={known} value={known}>
              {known}
            </option>
          ))}
        </select>
        <p className="text-muted text-xs">
          {kind === '' ? 'Delay before the next attempt of a failed job.' : inherited}
        </p>
        {conflict !== undefined && (
          <p role="status" data-tone="pending" className="text-tone-ink text-xs">
            {conflict}
          </p>
        )}
        {problems.backoff !== undefined && (
          <p role="alert" data-tone="failed" className="text-tone-ink text-xs">
            {problems.backoff}
          </p>
        )}
      </div>
      {kind !== '' && (
        <div className="grid grid-cols-2 gap-3 sm:grid-cols-4">
          <TextField
            label="Base"
            placeholder="10s"
            value={draft.base}
            onText={(base) => editGrowth({ base })}
            problem={problems['backoff.baseMs']}
          />
          {kind === 'exponential' && (
            <TextField
              label="Factor"
              placeholder="4"
              inputMode="decimal"
              value={draft.factor}
              onText={(factor) => editGrowth({ factor })}
              problem={problems['backoff.factor']}
            />
          )}
          {kind !== 'fixed' && (
            <TextField
              label="Maximum"
              placeholder="6h"
              value={draft.cap}
              onText={(cap) => editGrowth({ cap })}
              problem={problems['backoff.capMs']}
            />
          )}
          <TextField
            label="Jitter"
            placeholder="0 to 1"
            inputMode="decimal"
            value={draft.jitter}
            onText={(jitter) => edit({ jitter })}
            problem={problems['backoff.jitter']}
          />
        </div>
      )}
    </fieldset>
  )
}

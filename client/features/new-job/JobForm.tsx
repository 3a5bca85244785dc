/** The form of a new job, what it would be in a terminal, and what was enqueued with it. */
import { type FormEvent, useMemo, useState } from 'react'
import { Link } from 'wouter'
import { REDACTED } from '../../../shared/redaction/redaction.ts'
import { Button } from '../../ui/Button.tsx'
import { type Draft, type KnownType, readDraft } from './draft.ts'
import { Enqueued } from './Enqueued.tsx'
import { OptionFields } from './OptionFields.tsx'
import { PayloadPanel } from './PayloadPanel.tsx'
import { Preview } from './Preview.tsx'
import { TypeField } from './TypeField.tsx'
import { type Origin, useDraft } from './use-draft.ts'
import { useEnqueue } from './use-enqueue.ts'

export interface JobFormProps {
  readonly types: ReadonlyMap<string, KnownType>
  readonly first: Draft
  /** The job it was made from. */
  readonly origin?: Origin
}

const UNKNOWN: KnownType = { schema: null, kind: 'job' }

export function JobForm({ types, first, origin }: JobFormProps) {
  const begun = useDraft(first, origin)
  const { type, draft } = begun
  const [isAsked, setIsAsked] = useState(false)
  const { enqueue, forget, refusal, sent, isBusy } = useEnqueue()
  const known = types.get(type.trim()) ?? UNKNOWN
  const read = useMemo(() => readDraft(draft, type, known), [draft, type, known])

  function change(part: Partial<Draft>): void {
    begun.change(part)
    forget()
  }

  function choose(name: string): void {
    begun.choose(name)
    forget()
  }

  function startOver(): void {
    begun.startOver()
    setIsAsked(false)
    forget()
  }

  async function submit(event: FormEvent) {
    event.preventDefault()
    setIsAsked(true)
    if (read.isReady) {
      if (await enqueue(read.input)) begun.done()
    } else requestAnimationFrame(() => document.querySelector<HTMLElement>('form [aria-invalid=true]')?.focus())
  }

  return (
    <form
      onSubmit={submit}
      noValidate
      className="grid grid-cols-1 items-start gap-4 lg:grid-cols-[minmax(0,1fr)_22rem]"
    >
      <div className="grid grid-cols-1 gap-4">
        {origin && <FromJob origin={origin} hasHidden={draft.hidden !== null} />}
        <section aria-label="Type" className="rounded-lg bg-surface px-4 py-4 ring-1 ring-line sm:px-5">
          <TypeField
            type={type}
            names={[...types.keys()]}
            hint={hintOf(type, types)}
            problem={refusal.at.get('type') ?? (isAsked && type.trim() === '' ? 'is needed' : null)}
            onChange={choose}
          />
        </section>
        <PayloadPanel
          key={`${begun.round} ${known.schema ? type : ''}`}
          schema={known.schema}
          read={read}
          isAsked={isAsked}
          refusal={refusal.at.get('payload') ?? null}
          onChange={change}
        />
        <section aria-label="Options" className="rounded-lg bg-surface px-4 py-4 ring-1 ring-line sm:px-5">
          <h2 className="mb-2 font-semibold">Options</h2>
          <OptionFields
            options={draft.options}
            problems={{ ...Object.fromEntries(refusal.at), ...read.optionProblems }}
            onChange={(options) => change({ options: { ...draft.options, ...options } })}
          />
        </section>
        {refusal.rest !== null && (
          <p
            role="alert"
            data-tone="failed"
            className="rounded-lg bg-tone/8 px-4 py-2.5 text-tone-ink ring-1 ring-tone/20"
          >
            {refusal.rest}
          </p>
        )}
        <div className="flex flex-wrap items-center gap-3">
          <Button type="submit" weight="strong" needs="produce" disabled={isBusy}>
            {isBusy ? 'Enqueuing…' : sent.length > 0 ? 'Enqueue another' : 'Enqueue'}
          </Button>
          {begun.isBegun && (
            <Button weight="quiet" disabled={isBusy} onClick={startOver}>
              Start over
            </Button>
          )}
          {begun.isKept && !(isAsked && !read.isReady) && (
            <p className="text-muted">Kept in this tab until you enqueue it or start over.</p>
          )}
          {isAsked && !read.isReady && (
            <p role="alert" data-tone="failed" className="text-tone-ink">
              Something above is not right yet.
            </p>
          )}
        </div>
      </div>
      <div className="grid grid-cols-1 gap-4 lg:sticky lg:top-16">
        <Enqueued sent={sent} />
        <Preview input={read.shownInput} isReady={read.isReady} hasHidden={draft.hidden !== null} />
      </div>
    </form>
  )
}

interface FromJobProps {
  readonly origin: Origin
  readonly hasHidden: boolean
}

function FromJob({ origin: { id, dedupeKey }, hasHidden }: FromJobProps) {
  return (
    <p data-testid="origin" className="text-muted">
      Begun with what{' '}
      <Link href={`/jobs/${id}`} className="font-mono text-ink text-xs underline underline-offset-3">
        {id.slice(-8)}
      </Link>{' '}
      was given.
      {dedupeKey !== null && ` Its dedupe key “${dedupeKey}” is left out: with it, nothing new might be added.`}
      {hasHidden && ` Where ${REDACTED} stands, the new job gets what this browser does not show.`}
    </p>
  )
}

function hintOf(type: string, types: JobFormProps['types']): string {
  const known = types.get(type.trim())
  if (known) return known.schema ? 'its schema says what it needs' : 'known, without a schema'
  return type.trim() === '' ? 'one of those that are known, or a new name' : 'a new type'
}

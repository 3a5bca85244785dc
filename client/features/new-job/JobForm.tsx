/** Form for a new job, with command line preview and a list of enqueued jobs. */
import { type FormEvent, useMemo, useState } from 'react'
import { Link } from 'wouter'
import { REDACTED } from '../../../shared/redaction/redaction.ts'
import { Button } from '../../ui/Button.tsx'
import { TypeField } from '../../ui/form/TypeField.tsx'
import { type Draft, type KnownType, readDraft } from './draft/draft.ts'
import { type Origin, useDraft } from './draft/use-draft.ts'
import { Enqueued } from './Enqueued.tsx'
import { OptionFields } from './OptionFields.tsx'
import { PayloadPanel } from './PayloadPanel.tsx'
import { Preview } from './Preview.tsx'
import { useEnqueue } from './use-enqueue.ts'

export interface JobFormProps {
  readonly types: ReadonlyMap<string, KnownType>
  readonly initial: Draft
  /** The cloned job. */
  readonly origin?: Origin
}

const UNKNOWN: KnownType = { schema: null, kind: 'job', keyPointer: null }

export function JobForm({ types, initial, origin }: JobFormProps) {
  const form = useDraft(initial, origin)
  const { type, draft } = form
  const [isSubmitted, setIsSubmitted] = useState(false)
  const { enqueue, clearErrors, errors, sent, isBusy } = useEnqueue()
  const known = types.get(type.trim()) ?? UNKNOWN
  const read = useMemo(() => readDraft(draft, type, known), [draft, type, known])

  function change(part: Partial<Draft>): void {
    form.change(part)
    clearErrors()
  }

  function setType(name: string): void {
    form.setType(name)
    clearErrors()
  }

  function reset(): void {
    form.reset()
    setIsSubmitted(false)
    clearErrors()
  }

  async function submit(event: FormEvent) {
    event.preventDefault()
    setIsSubmitted(true)
    if (read.isReady) {
      if (await enqueue(read.input)) form.markEnqueued()
    } else requestAnimationFrame(() => document.querySelector<HTMLElement>('form [aria-invalid=true]')?.focus())
  }

  return (
    <form
      onSubmit={submit}
      noValidate
      className="grid grid-cols-1 items-start gap-4 lg:grid-cols-[minmax(0,1fr)_22rem]"
    >
      <div className="grid grid-cols-1 gap-4">
        {origin && <FromJob origin={origin} hasMasked={draft.masked !== null} />}
        <section aria-label="Type" className="rounded-lg bg-surface px-4 py-4 ring-1 ring-line sm:px-5">
          <TypeField
            type={type}
            names={[...types.keys()]}
            hint={hintOf(type, types)}
            problem={errors.fields.get('type') ?? (isSubmitted && type.trim() === '' ? 'is required' : null)}
            onChange={setType}
          />
        </section>
        <PayloadPanel
          key={`${form.round} ${known.schema ? type : ''}`}
          schema={known.schema}
          read={read}
          showAll={isSubmitted}
          serverError={errors.fields.get('payload') ?? null}
          onChange={change}
        />
        <section aria-label="Options" className="rounded-lg bg-surface px-4 py-4 ring-1 ring-line sm:px-5">
          <h2 className="mb-2 font-semibold">Options</h2>
          <OptionFields
            options={draft.options}
            keyPointer={known.keyPointer}
            problems={{ ...Object.fromEntries(errors.fields), ...read.optionProblems }}
            onChange={(options) => change({ options: { ...draft.options, ...options } })}
          />
        </section>
        {errors.other !== null && (
          <p
            role="alert"
            data-tone="failed"
            className="rounded-lg bg-tone/8 px-4 py-2.5 text-tone-ink ring-1 ring-tone/20"
          >
            {errors.other}
          </p>
        )}
        <div className="flex flex-wrap items-center gap-3">
          <Button type="submit" weight="strong" needs="produce" disabled={isBusy}>
            {isBusy ? 'Enqueuing…' : sent.length > 0 ? 'Enqueue another' : 'Enqueue'}
          </Button>
          {form.isDirty && (
            <Button weight="quiet" disabled={isBusy} onClick={reset}>
              Reset
            </Button>
          )}
          {form.isStored && !(isSubmitted && !read.isReady) && <p className="text-muted">Draft saved in this tab.</p>}
          {isSubmitted && !read.isReady && (
            <p role="alert" data-tone="failed" className="text-tone-ink">
              Fix the errors above.
            </p>
          )}
        </div>
      </div>
      <div className="grid grid-cols-1 gap-4 lg:sticky lg:top-16">
        <Enqueued sent={sent} />
        <Preview input={read.shownInput} isReady={read.isReady} hasMasked={draft.masked !== null} />
      </div>
    </form>
  )
}

interface FromJobProps {
  readonly origin: Origin
  readonly hasMasked: boolean
}

function FromJob({ origin: { id, dedupeKey }, hasMasked }: FromJobProps) {
  return (
    <p data-testid="origin" className="text-muted">
      Cloned from{' '}
      <Link href={`/jobs/${id}`} className="font-mono text-ink text-xs underline underline-offset-3">
        {id.slice(-8)}
      </Link>
      .{dedupeKey !== null && ` The dedupe key “${dedupeKey}” was not copied, so that the clone is not deduplicated.`}
      {hasMasked && ` Values masked as ${REDACTED} are copied unchanged.`}
    </p>
  )
}

function hintOf(type: string, types: JobFormProps['types']): string {
  const known = types.get(type.trim())
  if (known) return known.schema ? 'known type with a payload schema' : 'known type without a schema'
  return type.trim() === '' ? 'a known type or a new name' : 'new type'
}

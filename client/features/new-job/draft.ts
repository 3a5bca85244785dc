/** A job that is being written: pure steps from what was typed to what is sent. */
import type { EnqueueInput } from '../../../shared/contracts/produce.ts'
import { REDACTED, redact, unredact } from '../../../shared/redaction/redaction.ts'
import type { KINDS } from '../../../shared/status.ts'
import { writeDuration } from './duration-text.ts'
import { type Fault, faultOf } from './json-fault.ts'
import { hasLeftDots } from './left-dots.ts'
import { NO_OPTIONS, type OptionProblems, type Options, readOptions } from './options.ts'
import { check, type Problem } from './schema/check.ts'
import { firstValue } from './schema/first-value.ts'
import type { Schema } from './schema/schema.ts'

export interface Draft {
  readonly payload:
    | { readonly by: 'nobody' }
    | { readonly by: 'form'; readonly value: unknown }
    | { readonly by: 'text'; readonly text: string }
  readonly wantsText: boolean
  readonly options: Options
  /** What a job that this one was made from also said. */
  readonly carried: Pick<EnqueueInput, 'backoff'>
  /** Its payload, where this browser does not show all of that. */
  readonly hidden: { readonly shown: unknown; readonly original: unknown } | null
}

export const EMPTY: Draft = {
  payload: { by: 'nobody' },
  wantsText: false,
  options: NO_OPTIONS,
  carried: {},
  hidden: null,
}

export interface KnownType {
  readonly schema: Schema | null
  readonly kind: (typeof KINDS)[number]
}

export interface Read {
  readonly mode: 'form' | 'text'
  readonly value: unknown
  readonly text: string
  readonly fault: Fault | null
  readonly problems: readonly Problem[]
  readonly optionProblems: OptionProblems
  readonly input: EnqueueInput
  /** The same without what this browser does not show. */
  readonly shownInput: EnqueueInput
  readonly isReady: boolean
}

export function readDraft(draft: Draft, type: string, { schema, kind }: KnownType): Read {
  const { payload } = draft
  const text = payload.by === 'text' ? payload.text : write(formValue(draft, schema))
  const fault = payload.by === 'text' ? faultOf(text) : null
  const isText = draft.wantsText || schema === null || fault !== null
  const value = payload.by === 'text' ? (fault ? undefined : JSON.parse(text)) : formValue(draft, schema)
  const sentValue = draft.hidden ? unredact(value, draft.hidden.shown, draft.hidden.original) : value
  const problems = [
    ...(schema && !fault ? check(sentValue, schema) : []),
    ...(draft.hidden && hasLeftDots(sentValue, draft.hidden.original) ? [LEFT_HIDDEN] : []),
  ]
  const { sent, problems: optionProblems } = readOptions(draft.options)
  const shownInput = {
    type: type.trim(),
    payload: value ?? null,
    ...sent,
    ...draft.carried,
    ...(kind !== 'job' && { kind }),
  }
  const input = { ...shownInput, payload: sentValue ?? null }
  const isReady = input.type !== '' && !fault && problems.length === 0 && Object.keys(optionProblems).length === 0
  return { mode: isText ? 'text' : 'form', value, text, fault, problems, optionProblems, input, shownInput, isReady }
}

function formValue({ payload }: Draft, schema: Schema | null): unknown {
  if (payload.by === 'form') return payload.value
  return schema ? firstValue(schema, schema) : {}
}

function write(value: unknown): string {
  return JSON.stringify(value ?? null, null, 2)
}

/** Sent as they are, the dots would become the value. */
const LEFT_HIDDEN: Problem = {
  path: [],
  message: `has a ${REDACTED} that is not where it was: write what should be there`,
}

interface Origin {
  readonly payload?: unknown
  readonly priority: number
  readonly maxAttempts: number | null
  readonly timeoutMs: number | null
  readonly backoff: EnqueueInput['backoff'] | null
}

/** What a new job takes over from an old one; what `rules` hide goes along unseen. */
export function draftFrom(job: Origin, rules: readonly string[] = []): Draft {
  const { payload, priority, maxAttempts, timeoutMs, backoff } = job
  const shown = redact(payload, 'payload', rules)
  const hidden = shown === payload ? null : { shown, original: payload }
  return {
    payload: { by: 'form', value: shown },
    hidden,
    // The fields of a form could not all hold the dots.
    wantsText: hidden !== null,
    options: {
      ...NO_OPTIONS,
      priority: priority === 0 ? '' : String(priority),
      maxAttempts: maxAttempts === null ? '' : String(maxAttempts),
      timeout: timeoutMs === null ? '' : writeDuration(timeoutMs),
    },
    carried: { ...(backoff && { backoff }) },
  }
}

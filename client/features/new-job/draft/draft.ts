/** Draft of a new job: pure functions from form input to the request. */
import type { EnqueueInput } from '../../../../shared/contracts/produce.ts'
import { formatDuration } from '../../../../shared/duration.ts'
import { REDACTED, redact, unredact } from '../../../../shared/redaction/redaction.ts'
import type { KINDS } from '../../../../shared/status.ts'
import { hasUnresolvedMask } from '../../../lib/unresolved-mask.ts'
import { findJsonError, type JsonError } from '../../../ui/json/json-error.ts'
import { initialValue } from '../schema/initial-value.ts'
import type { Schema } from '../schema/schema.ts'
import { type Problem, validate } from '../schema/validate.ts'
import { NO_OPTIONS, type OptionProblems, type Options, readOptions } from './options.ts'

export interface Draft {
  readonly payload:
    | { readonly by: 'default' }
    | { readonly by: 'form'; readonly value: unknown }
    | { readonly by: 'text'; readonly text: string }
  readonly wantsText: boolean
  readonly options: Options
  /** Options of the cloned job that the form cannot edit. */
  readonly inherited: Pick<EnqueueInput, 'backoff'>
  /** Payload of the cloned job, if this browser masks a part of it. */
  readonly masked: { readonly shown: unknown; readonly original: unknown } | null
}

export const EMPTY: Draft = {
  payload: { by: 'default' },
  wantsText: false,
  options: NO_OPTIONS,
  inherited: {},
  masked: null,
}

export interface KnownType {
  readonly schema: Schema | null
  readonly kind: (typeof KINDS)[number]
  /** JSON pointer to the group key in the payload, for jobs without the option `group`. */
  readonly keyPointer: string | null
}

export interface Read {
  readonly mode: 'form' | 'text'
  readonly value: unknown
  readonly text: string
  readonly error: JsonError | null
  readonly problems: readonly Problem[]
  readonly optionProblems: OptionProblems
  readonly input: EnqueueInput
  /** `input` with masked values. */
  readonly shownInput: EnqueueInput
  readonly isReady: boolean
}

export function readDraft(draft: Draft, type: string, { schema, kind }: KnownType): Read {
  const { payload } = draft
  const text = payload.by === 'text' ? payload.text : write(formValue(draft, schema))
  const error = payload.by === 'text' ? findJsonError(text) : null
  const isText = draft.wantsText || schema === null || error !== null
  const value = payload.by === 'text' ? (error ? undefined : JSON.parse(text)) : formValue(draft, schema)
  const sentValue = draft.masked ? unredact(value, draft.masked.shown, draft.masked.original) : value
  const problems = [
    ...(schema && !error ? validate(sentValue, schema) : []),
    ...(draft.masked && hasUnresolvedMask(sentValue, draft.masked.original) ? [UNRESOLVED_MASK] : []),
  ]
  const { sent, problems: optionProblems } = readOptions(draft.options)
  const shownInput = {
    type: type.trim(),
    payload: value ?? null,
    ...sent,
    ...draft.inherited,
    ...(kind !== 'job' && { kind }),
  }
  const input = { ...shownInput, payload: sentValue ?? null }
  const isReady = input.type !== '' && !error && problems.length === 0 && Object.keys(optionProblems).length === 0
  return { mode: isText ? 'text' : 'form', value, text, error, problems, optionProblems, input, shownInput, isReady }
}

function formValue({ payload }: Draft, schema: Schema | null): unknown {
  if (payload.by === 'form') return payload.value
  return schema ? initialValue(schema, schema) : {}
}

function write(value: unknown): string {
  return JSON.stringify(value ?? null, null, 2)
}

/** The mask itself must never be sent as a value. */
const UNRESOLVED_MASK: Problem = {
  path: [],
  message: `contains a moved or added ${REDACTED}: replace it with the actual value`,
}

interface Origin {
  readonly payload?: unknown
  readonly priority: number
  readonly maxAttempts: number | null
  readonly timeoutMs: number | null
  readonly groupKey: string | null
  readonly backoff: EnqueueInput['backoff'] | null
}

/** Draft of a clone. Values masked by `rules` are copied without being shown. */
export function draftFrom(job: Origin, rules: readonly string[] = []): Draft {
  const { payload, priority, maxAttempts, timeoutMs, groupKey, backoff } = job
  const shown = redact(payload, 'payload', rules)
  const masked = shown === payload ? null : { shown, original: payload }
  return {
    payload: { by: 'form', value: shown },
    masked,
    // Not every form field can hold a mask.
    wantsText: masked !== null,
    options: {
      ...NO_OPTIONS,
      priority: priority === 0 ? '' : String(priority),
      maxAttempts: maxAttempts === null ? '' : String(maxAttempts),
      timeout: timeoutMs === null ? '' : formatDuration(timeoutMs, ''),
      group: groupKey ?? '',
    },
    inherited: { ...(backoff && { backoff }) },
  }
}

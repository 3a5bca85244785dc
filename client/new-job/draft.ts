/** A job that is being written: pure steps from what was typed to what is sent. */
import type { EnqueueInput } from '../../shared/contracts/produce.ts'
import type { KINDS } from '../../shared/status.ts'
import { writeDuration } from './duration-text.ts'
import { type Fault, faultOf } from './json-fault.ts'
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
  readonly carried: Pick<EnqueueInput, 'backoff' | 'concurrencyKey'>
}

export const EMPTY: Draft = { payload: { by: 'nobody' }, wantsText: false, options: NO_OPTIONS, carried: {} }

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
  readonly isReady: boolean
}

export function readDraft(draft: Draft, type: string, { schema, kind }: KnownType): Read {
  const { payload } = draft
  const text = payload.by === 'text' ? payload.text : write(formValue(draft, schema))
  const fault = payload.by === 'text' ? faultOf(text) : null
  const isText = draft.wantsText || schema === null || fault !== null
  const value = payload.by === 'text' ? (fault ? undefined : JSON.parse(text)) : formValue(draft, schema)
  const problems = schema && !fault ? check(value, schema) : []
  const { sent, problems: optionProblems } = readOptions(draft.options)
  const input = {
    type: type.trim(),
    payload: value ?? null,
    ...sent,
    ...draft.carried,
    ...(kind !== 'job' && { kind }),
  }
  const isReady = input.type !== '' && !fault && problems.length === 0 && Object.keys(optionProblems).length === 0
  return { mode: isText ? 'text' : 'form', value, text, fault, problems, optionProblems, input, isReady }
}

function formValue({ payload }: Draft, schema: Schema | null): unknown {
  if (payload.by === 'form') return payload.value
  return schema ? firstValue(schema, schema) : {}
}

function write(value: unknown): string {
  return JSON.stringify(value ?? null, null, 2)
}

/** What a new job takes over from an old one. */
export function draftFrom(job: {
  readonly payload?: unknown
  readonly priority: number
  readonly maxAttempts: number | null
  readonly timeoutMs: number | null
  readonly backoff: EnqueueInput['backoff'] | null
  readonly concurrencyKey: string | null
}): Draft {
  const { payload, priority, maxAttempts, timeoutMs, backoff, concurrencyKey } = job
  return {
    payload: { by: 'form', value: payload },
    wantsText: false,
    options: {
      ...NO_OPTIONS,
      priority: priority === 0 ? '' : String(priority),
      maxAttempts: maxAttempts === null ? '' : String(maxAttempts),
      timeout: timeoutMs === null ? '' : writeDuration(timeoutMs),
    },
    carried: { ...(backoff && { backoff }), ...(concurrencyKey !== null && { concurrencyKey }) },
  }
}

/** Backoff as form input. The server applies bounds and defaults. */

import { DURATION_RULE, formatDuration, parseDuration } from '../../../shared/duration.ts'
import type { Backoff } from '../../../shared/settings/backoff.ts'
import type { Problems } from './fields.ts'

export type BackoffKind = Backoff['kind']
export const BACKOFF_KINDS = ['fixed', 'linear', 'exponential'] as const satisfies readonly BackoffKind[]

export interface BackoffDraft {
  /** '': not set. */
  readonly kind: BackoffKind | ''
  readonly base: string
  readonly cap: string
  readonly factor: string
  readonly jitter: string
  /** Not editable; kept until the growth is edited. */
  readonly capFrom: string
}

export function backoffDraft(backoff: Backoff | undefined): BackoffDraft {
  if (!backoff) return { kind: '', base: '', cap: '', factor: '', jitter: '', capFrom: '' }
  return {
    kind: backoff.kind,
    base: formatDuration(backoff.baseMs),
    cap: backoff.kind === 'fixed' ? '' : formatDuration(backoff.capMs),
    factor: backoff.kind === 'exponential' ? String(backoff.factor) : '',
    jitter: String(backoff.jitter),
    capFrom: backoff.kind === 'exponential' && backoff.capFrom !== undefined ? String(backoff.capFrom) : '',
  }
}

/** In one line: `exponential from 10s, × 4, at most 6h, ± 20 %`. */
export function backoffText(backoff: Backoff): string {
  const parts = [`${backoff.kind}${backoff.kind === 'fixed' ? '' : ' from'} ${formatDuration(backoff.baseMs)}`]
  if (backoff.kind === 'exponential') parts.push(`× ${backoff.factor}`)
  if (backoff.kind !== 'fixed') parts.push(`at most ${formatDuration(backoff.capMs)}${capFromText(backoff)}`)
  if (backoff.jitter > 0) parts.push(`± ${Math.round(backoff.jitter * 100)} %`)
  return parts.join(', ')
}

function capFromText(backoff: Backoff): string {
  return backoff.kind === 'exponential' && backoff.capFrom !== undefined ? ` from attempt ${backoff.capFrom} on` : ''
}

export interface BackoffReading {
  /** undefined: not set. The server fills in omitted parameters. */
  readonly backoff: BackoffInput | undefined
  readonly problems: Problems
}

export type BackoffInput =
  | { kind: 'fixed'; baseMs: number; jitter?: number }
  | { kind: 'linear'; baseMs?: number; capMs?: number; jitter?: number }
  | { kind: 'exponential'; baseMs?: number; factor?: number; capMs?: number; capFrom?: number; jitter?: number }

export function readBackoff({ kind, base, cap, factor, jitter, capFrom }: BackoffDraft): BackoffReading {
  const problems: Record<string, string> = {}
  const read = (name: string, text: string, parse: (text: string) => number | null, wrong: string) => {
    if (text.trim() === '') return null
    const value = parse(text)
    if (value === null) problems[`backoff.${name}`] = wrong
    return value
  }
  const baseMs = read('baseMs', base, parseDuration, DURATION)
  const capMs = read('capMs', cap, parseDuration, DURATION)
  const times = read('factor', factor, plainNumber, NUMBER)
  const part = read('jitter', jitter, plainNumber, NUMBER)
  const shared = { ...(baseMs !== null && { baseMs }), ...(part !== null && { jitter: part }) }
  const capped = { ...shared, ...(capMs !== null && { capMs }) }
  if (kind === '') return { backoff: undefined, problems: {} }
  if (kind === 'linear') return { backoff: { kind, ...capped }, problems }
  if (kind === 'exponential')
    return {
      backoff: {
        kind,
        ...capped,
        ...(times !== null && { factor: times }),
        ...(capFrom !== '' && { capFrom: Number(capFrom) }),
      },
      problems,
    }
  if (baseMs === null) problems['backoff.baseMs'] ??= 'A fixed backoff requires a base.'
  return { backoff: { kind, ...shared, baseMs: baseMs ?? 0 }, problems }
}

const DURATION = `It ${DURATION_RULE}.`
const NUMBER = 'It must be a number.'

function plainNumber(text: string): number | null {
  const value = Number(text)
  return Number.isFinite(value) ? value : null
}

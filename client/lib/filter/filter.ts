/** Parses the filter bar into a job filter and a list of problems. */
import type { JobFilter } from '../../../shared/contracts/observe.ts'
import { DURATION_RULE, parseDuration } from '../../../shared/duration.ts'
import { nearest } from '../../../shared/json/nearest.ts'
import { limits } from '../../../shared/limits.ts'
import { isStatus, STATUSES, type Status } from '../../../shared/status.ts'
import { KEYS } from './keys.ts'
import { formatTerm, isNegated, type Term, tokenize } from './tokenizer.ts'

export interface Problem {
  readonly term: string
  readonly message: string
}

export interface ParsedFilter {
  /** Any problem blocks the filter: ignoring a term would match, and possibly delete, more jobs than intended. */
  readonly problems: readonly Problem[]
  /** The filter of the API at a time: `older` and `newer` are relative to `now`. */
  toJobFilter(now: number): JobFilter
  readonly type: string | null
  /** null: all statuses. */
  readonly statuses: readonly Status[] | null
  /** The server must read payloads or attempts, which is slow. */
  readonly isSlow: boolean
  readonly isEmpty: boolean
  /** Filters by type and status only: the counters know how many jobs match. */
  readonly isCounted: boolean
}

type Draft = { -readonly [Key in keyof JobFilter]: JobFilter[Key] } & { olderMs?: number; newerMs?: number }

const PATH = /^[\p{L}\p{N}_$-]+(?:\.[\p{L}\p{N}_$-]+)*$/u

const MAX_LENGTH: Readonly<Record<string, number>> = {
  error: limits.searchLength,
  group: limits.errorKeyLength,
  key: limits.keyLength,
}

export function parseFilter(text: string): ParsedFilter {
  const draft: Draft = {}
  const problems: Problem[] = []
  const plain: string[] = []
  const terms = tokenize(text)
  for (const term of terms) {
    const message =
      syntaxProblem(term) ?? (term.key === null ? void plain.push(term.value) : take(draft, term.key, term))
    if (message) problems.push({ term: term.raw, message })
  }
  const search = plain.join(' ').trim()
  if (search.length > limits.searchLength) {
    problems.push({ term: search.slice(0, 20), message: `Search for at most ${limits.searchLength} characters.` })
  } else if (search) draft.search = search
  const { olderMs, newerMs, ...fixed } = draft
  return {
    problems,
    toJobFilter: (now) => ({
      ...fixed,
      ...(newerMs !== undefined && { from: before(now, newerMs) }),
      ...(olderMs !== undefined && { to: before(now, olderMs) }),
    }),
    type: fixed.type ?? null,
    statuses: fixed.status ?? null,
    isSlow: fixed.search !== undefined || fixed.payload !== undefined || fixed.errorKey !== undefined,
    isEmpty: terms.length === 0,
    isCounted: problems.length === 0 && Object.keys(draft).every((key) => key === 'type' || key === 'status'),
  }
}

/** The text with this status added or removed. */
export function toggleStatus(text: string, status: Status): string {
  const terms = tokenize(text)
  const active = terms.filter(({ key }) => key === 'status').flatMap(({ value }) => value.split(','))
  const next = active.includes(status) ? active.filter((one) => one !== status) : [...active, status]
  const others = terms.filter(({ key }) => key !== 'status').map(({ raw }) => raw)
  return [...others, ...(next.length > 0 ? [formatTerm('status', next.join(','))] : [])].join(' ')
}

/** The text with another type. */
export function withType(text: string, type: string): string {
  return tokenize(text)
    .map(({ key, raw }) => (key === 'type' ? formatTerm('type', type) : raw))
    .join(' ')
}

/** Syntax that would be searched for as plain text by mistake. */
function syntaxProblem(term: Term): string | null {
  if (term.isOpen) return 'A quote is not closed. To search for a quote character, write \\" inside quotes.'
  if (isNegated(term)) {
    return 'Negation is not supported. To search for this text as written, put it in quotes.'
  }
  return null
}

/** Adds one term to the draft, or returns the problem. */
function take(draft: Draft, key: string, { value, isQuoted }: Term): string | null {
  // Errors without a message form a group as well.
  if (value === '' && !(key === 'group' && isQuoted)) return `Enter a value after “${key}:”.`
  if (key.startsWith('payload.')) return takePayload(draft, key.slice('payload.'.length), value, isQuoted)
  switch (key) {
    case 'status':
      return takeStatuses(draft, value)
    case 'type':
      if (value.includes('*') && !isQuoted) {
        return 'Wildcards are not supported in type names. If “*” is part of the name, put the name in quotes.'
      }
      return once(draft.type, key, value, () => {
        draft.type = value
      })
    case 'error':
    case 'worker':
      return once(draft[key], key, value, () => {
        draft[key] = value
      })
    case 'group':
      return once(draft.errorKey, key, value, () => {
        draft.errorKey = value
      })
    case 'in':
      return once(draft.group, key, value, () => {
        draft.group = value
      })
    case 'key':
      return once(draft.groupKey, key, value, () => {
        draft.groupKey = value
      })
    case 'priority':
      return takePriority(draft, value)
    case 'older':
    case 'newer':
      return takeAge(draft, key, value)
    default:
      return unknownKey(key)
  }
}

function once(taken: unknown, key: string, value: string, set: () => void): string | null {
  if (taken !== undefined) return `Only one “${key}:” at a time.`
  const most = MAX_LENGTH[key] ?? limits.typeLength
  if (value.length > most) return `At most ${most} characters.`
  set()
  return null
}

function takeStatuses(draft: Draft, value: string): string | null {
  const wanted = value
    .toLowerCase()
    .split(',')
    .filter((one) => one !== '')
  const wrong = wanted.find((one) => !isStatus(one))
  if (wrong !== undefined) {
    const meant = nearest(wrong, STATUSES, 3)
    return `“${wrong}” is not a status.${meant ? ` Did you mean ${meant}?` : ` There are ${STATUSES.join(', ')}.`}`
  }
  draft.status = [...new Set([...(draft.status ?? []), ...wanted.filter(isStatus)])]
  return null
}

function takePriority(draft: Draft, value: string): string | null {
  if (draft.priority !== undefined) return 'Only one “priority:” at a time.'
  const priority = Number(value)
  if (!Number.isInteger(priority) || Math.abs(priority) > limits.priority)
    return 'A priority is a whole number, for example 10.'
  draft.priority = priority
  return null
}

function takeAge(draft: Draft, key: 'older' | 'newer', value: string): string | null {
  const ageMs = parseDuration(value)
  if (ageMs === null) return `An age ${DURATION_RULE}.`
  const name = `${key}Ms` as const
  if (draft[name] !== undefined) return `Only one “${key}:” at a time.`
  draft[name] = ageMs
  return null
}

function takePayload(draft: Draft, path: string, value: string, isQuoted: boolean): string | null {
  if (draft.payload) return 'Only one payload value can be used at a time.'
  if (!PATH.test(path) || path.length > 200)
    return 'Write the path as names joined by dots, for example payload.user.id:42'
  if (path.split('.').filter((part) => /^\d+$/.test(part)).length > limits.pathPositions) {
    return `At most ${limits.pathPositions} array positions in one path.`
  }
  draft.payload = { path, equals: isQuoted ? value : scalar(value) }
  return null
}

/** A JSON scalar if it is one, otherwise text. */
function scalar(value: string): string | number | boolean | null {
  if (!isScalarText(value)) return value
  if (value === 'null') return null
  return value === 'true' || value === 'false' ? value === 'true' : Number(value)
}

/** Unquoted, this is a JSON scalar and not text. */
export function isScalarText(value: string): boolean {
  return /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?)$/.test(value)
}

function unknownKey(key: string): string {
  if (key === 'payload') return 'Name a field of the payload, for example payload.user.id:42'
  const known = KEYS.map((one) => one.key.replace('.', ''))
  const meant = nearest(key, known, 2)
  const hint = meant ? `Did you mean “${meant}:”?` : 'To search for it as text, put it in quotes.'
  return `Unknown key “${key}:”. ${hint}`
}

function before(now: number, ms: number): number {
  return Math.max(0, Math.round(now - ms))
}

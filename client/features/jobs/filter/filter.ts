/** Reads the filter bar into what the server understands, and says which words it does not understand. */
import type { JobFilter } from '../../../../shared/contracts/observe.ts'
import { DAY, HOUR, limits, MINUTE, SECOND } from '../../../../shared/limits.ts'
import { nearest } from '../../../../shared/nearest.ts'
import { isStatus, STATUSES, type Status } from '../../../../shared/status.ts'
import { KEYS } from './keys.ts'
import { isNegated, type Word, wordFor, wordsOf } from './tokenizer.ts'

export interface Problem {
  readonly word: string
  readonly message: string
}

export interface ReadFilter {
  /** A filter that passed over a word would find, and then delete, more than was meant: nothing is asked with any of these. */
  readonly problems: readonly Problem[]
  /** Ages count back from `now`. */
  at(now: number): JobFilter
  readonly type: string | null
  /** null: every status. */
  readonly statuses: readonly Status[] | null
  /** More than the rows themselves has to be read for it, which takes time. */
  readonly isSlow: boolean
  readonly isEmpty: boolean
  /** Only type and status are asked for: how many there are of each is known without a search. */
  readonly isCounted: boolean
}

type Draft = { -readonly [Key in keyof JobFilter]: JobFilter[Key] } & { olderMs?: number; newerMs?: number }

const PATH = /^[\p{L}\p{N}_$-]+(?:\.[\p{L}\p{N}_$-]+)*$/u
const AGE = /^(?:\d+(?:\.\d+)?[smhdw])+$/
const AGE_PART = /(\d+(?:\.\d+)?)([smhdw])/g
const UNITS: Readonly<Record<string, number>> = { s: SECOND, m: MINUTE, h: HOUR, d: DAY, w: 7 * DAY }

const MOST: Readonly<Record<string, number>> = { error: limits.searchLength, group: limits.errorKeyLength }

export function readFilter(text: string): ReadFilter {
  const draft: Draft = {}
  const problems: Problem[] = []
  const plain: string[] = []
  const words = wordsOf(text)
  for (const word of words) {
    const message = misread(word) ?? (word.key === null ? void plain.push(word.value) : take(draft, word.key, word))
    if (message) problems.push({ word: word.raw, message })
  }
  const search = plain.join(' ').trim()
  if (search.length > limits.searchLength) {
    problems.push({ word: search.slice(0, 20), message: `Search for at most ${limits.searchLength} characters.` })
  } else if (search) draft.search = search
  const { olderMs, newerMs, ...fixed } = draft
  return {
    problems,
    at: (now) => ({
      ...fixed,
      ...(newerMs !== undefined && { from: before(now, newerMs) }),
      ...(olderMs !== undefined && { to: before(now, olderMs) }),
    }),
    type: fixed.type ?? null,
    statuses: fixed.status ?? null,
    isSlow: fixed.search !== undefined || fixed.payload !== undefined || fixed.errorKey !== undefined,
    isEmpty: words.length === 0,
    isCounted: problems.length === 0 && Object.keys(draft).every((key) => key === 'type' || key === 'status'),
  }
}

/** The text with this status asked for as well, or no longer. */
export function toggleStatus(text: string, status: Status): string {
  const words = wordsOf(text)
  const asked = words.filter(({ key }) => key === 'status').flatMap(({ value }) => value.split(','))
  const next = asked.includes(status) ? asked.filter((one) => one !== status) : [...asked, status]
  const others = words.filter(({ key }) => key !== 'status').map(({ raw }) => raw)
  return [...others, ...(next.length > 0 ? [wordFor('status', next.join(','))] : [])].join(' ')
}

/** The text with another type asked for. */
export function withType(text: string, type: string): string {
  return wordsOf(text)
    .map(({ key, raw }) => (key === 'type' ? wordFor('type', type) : raw))
    .join(' ')
}

/** What would become a search for something that nobody meant. */
function misread(word: Word): string | null {
  if (word.isOpen) return 'A quote is open: close it. To search for a quote, write \\" between quotes.'
  if (isNegated(word)) {
    return 'There is no “not”: ask for what you want to see. To search for it as it stands, put quotes around it.'
  }
  return null
}

/** Takes one word into the draft, or says why not. */
function take(draft: Draft, key: string, { value, isQuoted }: Word): string | null {
  // A message without text makes a group, too.
  if (value === '' && !(key === 'group' && isQuoted)) return `Say what to look for after “${key}:”.`
  if (key.startsWith('payload.')) return takePayload(draft, key.slice('payload.'.length), value, isQuoted)
  switch (key) {
    case 'status':
      return takeStatuses(draft, value)
    case 'type':
      if (value.includes('*') && !isQuoted) {
        return 'A type is one whole name, “*” stands for nothing. Where it is part of the name, put quotes around it.'
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
  const most = MOST[key] ?? limits.typeLength
  if (value.length > most) return `At most ${most} characters.`
  set()
  return null
}

function takeStatuses(draft: Draft, value: string): string | null {
  const asked = value
    .toLowerCase()
    .split(',')
    .filter((one) => one !== '')
  const wrong = asked.find((one) => !isStatus(one))
  if (wrong !== undefined) {
    const meant = nearest(wrong, STATUSES, 3)
    return `“${wrong}” is no status.${meant ? ` Did you mean ${meant}?` : ` There are ${STATUSES.join(', ')}.`}`
  }
  draft.status = [...new Set([...(draft.status ?? []), ...asked.filter(isStatus)])]
  return null
}

function takePriority(draft: Draft, value: string): string | null {
  if (draft.priority !== undefined) return 'Only one “priority:” at a time.'
  const priority = Number(value)
  if (!Number.isInteger(priority) || Math.abs(priority) > limits.priority)
    return 'A priority is a whole number, like 10.'
  draft.priority = priority
  return null
}

function takeAge(draft: Draft, key: 'older' | 'newer', value: string): string | null {
  if (!AGE.test(value)) return 'Write an age like 30s, 15m, 1h30m, 2d or 1w.'
  const name = `${key}Ms` as const
  if (draft[name] !== undefined) return `Only one “${key}:” at a time.`
  draft[name] = [...value.matchAll(AGE_PART)].reduce((ms, [, n, unit = '']) => ms + Number(n) * (UNITS[unit] ?? 0), 0)
  return null
}

function takePayload(draft: Draft, path: string, value: string, isQuoted: boolean): string | null {
  if (draft.payload) return 'Only one value of the payload at a time.'
  if (!PATH.test(path) || path.length > 200) return 'Write the place as names joined by dots: payload.user.id:42'
  if (path.split('.').filter((part) => /^\d+$/.test(part)).length > limits.pathPositions) {
    return `At most ${limits.pathPositions} positions in one place.`
  }
  draft.payload = { path, equals: isQuoted ? value : scalar(value) }
  return null
}

/** As JSON would read it; everything else is text. */
function scalar(value: string): string | number | boolean | null {
  if (!isScalarText(value)) return value
  if (value === 'null') return null
  return value === 'true' || value === 'false' ? value === 'true' : Number(value)
}

/** Without quotes it is no text. */
export function isScalarText(value: string): boolean {
  return /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?)$/.test(value)
}

function unknownKey(key: string): string {
  if (key === 'payload') return 'Say where in the payload: payload.user.id:42'
  const known = KEYS.map((one) => one.key.replace('.', ''))
  const meant = nearest(key, known, 2)
  const hint = meant ? `did you mean “${meant}:”?` : 'put quotes around it to search for it.'
  return `There is no “${key}:” — ${hint}`
}

function before(now: number, ms: number): number {
  return Math.max(0, Math.round(now - ms))
}

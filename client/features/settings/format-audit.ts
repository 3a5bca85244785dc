/** Entries of the audit trail in words. */
import { isObject } from '../new-job/schema/schema.ts'
import { durationText } from './form/duration-text.ts'

interface Told {
  readonly actor: string
  readonly action: string
  readonly target: string | null
  readonly details?: unknown
}

/** After who did it. What is not here, as of an application of yours, is shown as it is. */
const WORDS: Readonly<Record<string, string>> = {
  retry: 'started a job over',
  runNow: 'made a job due at once',
  cancel: 'cancelled a job',
  remove: 'deleted a job',
  cleanup: 'deleted finished jobs',
  backup: 'made a backup',
  'types.declare': 'declared a type',
  'types.update': 'changed a type',
  'settings.update': 'changed settings',
  'workers.drain': 'drained a worker',
  'workers.undrain': 'took a worker back',
  'bulk.retry': 'started many over',
  'bulk.runNow': 'made many due at once',
  'bulk.cancel': 'cancelled many',
  'bulk.remove': 'deleted many',
  'bulk.stop': 'stopped an act on many',
  'bulk.undo': 'took an act on many back',
  'tokens.create': 'made a token',
  'tokens.revoke': 'revoked a token',
  'tokens.throttled': 'sent too many wrong tokens',
  'session.open': 'signed in',
  'session.close': 'signed out',
  'session.refused': 'was refused at the door',
}

const JOB_ACTS: ReadonlySet<string> = new Set(['retry', 'runNow', 'cancel', 'remove'])

export function actionWords({ action, details }: Told): string {
  const paused = pausedBy(details)
  if (paused !== null) return `${paused ? 'paused' : 'resumed'} ${action === 'types.update' ? 'a type' : 'the queue'}`
  if (action === 'bulk.undo' && isOfJob({ action, details })) return 'took it back for a job'
  return WORDS[action] ?? action
}

/** Acts on many name the job that they were done to, too, and then which act it was. */
export function isOfJob({ action, details }: Pick<Told, 'action' | 'details'>): boolean {
  return JOB_ACTS.has(action) || (action === 'bulk.undo' && isObject(details) && 'bulk' in details)
}

/** As `key: value`; of changes to settings, what was set and what was cleared. */
export function detailWords(details: unknown): readonly string[] {
  if (!isObject(details) || pausedBy(details) !== null) return []
  return Object.entries(details).flatMap(([key, value]) => {
    if ((key === 'set' || key === 'declared') && isObject(value)) return detailWords(value)
    if (key === 'clear' && Array.isArray(value)) return value.map((name) => `${name}: cleared`)
    return value === null || value === undefined ? [] : [`${key}: ${valueWords(value, key)}`]
  })
}

/** A change that pauses or resumes, and does nothing else. */
function pausedBy(details: unknown): boolean | null {
  const { set, clear } = isObject(details) ? details : {}
  if (!isObject(set) || typeof set.paused !== 'boolean') return null
  return Object.keys(set).length + (Array.isArray(clear) ? clear.length : 0) === 1 ? set.paused : null
}

function valueWords(value: unknown, key: string): string {
  if (typeof value === 'number' && key.endsWith('Ms')) return durationText(value)
  if (typeof value === 'number' && key.endsWith('At')) return new Date(value).toLocaleString()
  if (Array.isArray(value)) return value.map((one) => valueWords(one, key)).join(', ')
  if (!isObject(value)) return String(value)
  return `(${detailWords(value).join(', ')})`
}

/** Whether any of what is shown of it has this text. */
export function isFound(entry: Told, text: string): boolean {
  const words = [entry.actor, entry.action, actionWords(entry), entry.target ?? '', ...detailWords(entry.details)]
  return words.join('\n').toLowerCase().includes(text.trim().toLowerCase())
}

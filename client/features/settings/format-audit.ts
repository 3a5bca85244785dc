/** Text for audit entries. */

import { formatDuration } from '../../../shared/duration.ts'
import { isObject } from '../../../shared/json/is-object.ts'

interface AuditRecord {
  readonly actor: string
  readonly action: string
  readonly target: string | null
  readonly details?: unknown
}

/** Unlisted actions, for example of an application, are shown unchanged. */
const ACTIONS: Readonly<Record<string, string>> = {
  retry: 'retried a job',
  runNow: 'ran a job now',
  cancel: 'cancelled a job',
  remove: 'deleted a job',
  cleanup: 'deleted finished jobs',
  backup: 'created a backup',
  'types.declare': 'declared a type',
  'types.update': 'changed a type',
  'groups.update': 'changed a group',
  'schedules.create': 'created a schedule',
  'schedules.update': 'changed a schedule',
  'schedules.pause': 'paused a schedule',
  'schedules.resume': 'resumed a schedule',
  'schedules.run': 'ran a schedule now',
  'schedules.delete': 'deleted a schedule',
  'schedules.backfill': 'backfilled a schedule',
  'schedules.declare': 'declared schedules',
  'schedules.orphan': 'no longer declared a schedule',
  'settings.update': 'changed settings',
  'workers.drain': 'drained a worker',
  'workers.undrain': 'undid a drain',
  'bulk.retry': 'retried jobs in bulk',
  'bulk.runNow': 'ran jobs now in bulk',
  'bulk.cancel': 'cancelled jobs in bulk',
  'bulk.remove': 'deleted jobs in bulk',
  'bulk.stop': 'stopped a bulk action',
  'bulk.undo': 'undid a bulk action',
  'tokens.create': 'created a token',
  'tokens.revoke': 'revoked a token',
  'tokens.throttled': 'throttled: invalid tokens',
  'session.open': 'signed in',
  'session.close': 'signed out',
  'session.refused': 'sign-in refused',
}

const PAUSABLE: Readonly<Record<string, string>> = { 'types.update': 'a type', 'groups.update': 'a group' }

const JOB_ACTIONS: ReadonlySet<string> = new Set(['retry', 'runNow', 'cancel', 'remove'])

export function formatAction({ action, details }: AuditRecord): string {
  const paused = pausedBy(details)
  if (paused !== null) return `${paused ? 'paused' : 'resumed'} ${PAUSABLE[action] ?? 'the queue'}`
  if (action === 'bulk.undo' && isOfJob({ action, details })) return 'undid a bulk action on a job'
  return ACTIONS[action] ?? action
}

/** The undo of a bulk action has one entry for the action and one for each job. */
export function isOfJob({ action, details }: Pick<AuditRecord, 'action' | 'details'>): boolean {
  return JOB_ACTIONS.has(action) || (action === 'bulk.undo' && isObject(details) && 'bulk' in details)
}

/** `key: value` for each detail; changed settings are listed one by one. */
export function formatDetails(details: unknown): readonly string[] {
  if (!isObject(details) || pausedBy(details) !== null) return []
  return Object.entries(details).flatMap(([key, value]) => {
    if ((key === 'set' || key === 'declared') && isObject(value)) return formatDetails(value)
    if (key === 'clear' && Array.isArray(value)) return value.map((name) => `${name}: cleared`)
    return value === null || value === undefined ? [] : [`${key}: ${formatValue(value, key)}`]
  })
}

/** New paused state if the change does nothing else, else null. */
function pausedBy(details: unknown): boolean | null {
  const { set, clear } = isObject(details) ? details : {}
  if (!isObject(set) || typeof set.paused !== 'boolean') return null
  return Object.keys(set).length + (Array.isArray(clear) ? clear.length : 0) === 1 ? set.paused : null
}

function formatValue(value: unknown, key: string): string {
  if (typeof value === 'number' && key.endsWith('Ms')) return formatDuration(value)
  if (typeof value === 'number' && key.endsWith('At')) return new Date(value).toLocaleString()
  if (Array.isArray(value)) return value.map((one) => formatValue(one, key)).join(', ')
  if (!isObject(value)) return String(value)
  return `(${formatDetails(value).join(', ')})`
}

/** Case-insensitive search in everything that is shown of an entry. */
export function matchesText(entry: AuditRecord, text: string): boolean {
  const texts = [entry.actor, entry.action, formatAction(entry), entry.target ?? '', ...formatDetails(entry.details)]
  return texts.join('\n').toLowerCase().includes(text.trim().toLowerCase())
}

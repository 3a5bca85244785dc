/** Keys, ages and examples of the filter bar. */

export const KEYS = [
  { key: 'type', hint: 'one type of job' },
  { key: 'status', hint: 'one or more, separated by commas' },
  { key: 'error', hint: 'part of the error' },
  { key: 'group', hint: 'last failed with this error, as grouped on Failures' },
  { key: 'in', hint: 'of this group, such as syncTenant' },
  { key: 'key', hint: 'of this key of a group, such as a tenant' },
  { key: 'worker', hint: 'held or completed by this worker' },
  { key: 'priority', hint: 'exactly this priority' },
  { key: 'older', hint: 'created before: 30m, 6h, 2d' },
  { key: 'newer', hint: 'created since: 30m, 6h, 2d' },
  { key: 'payload.', hint: 'a value in the payload: payload.user.id:42' },
] as const

export const AGES = ['15m', '1h', '6h', '1d', '7d'] as const

/** Offered when no job matches. */
export const EXAMPLES = [
  'status:failed newer:1h',
  'error:timeout',
  'payload.user.id:42',
  'status:scheduled,retrying',
] as const

/** Background jobs that fill a table, as SQL expressions over the row number `i`. */

/** Type of the measured jobs; their priority is 0. */
export const TARGET = 'target'

export interface Crowd {
  /** SQL expressions. */
  readonly type: string
  readonly status: string
  readonly priority: string
  /** Type and status of the filtered list. */
  readonly list: { readonly type: string; readonly status: string }
}

/** A typical table: ten types, most jobs completed, some failed, scheduled or pending. */
export const MIXED: Crowd = {
  type: `'type-' || (i % 10)`,
  status: `CASE (i / 10) % 20 WHEN 0 THEN 'failed' WHEN 1 THEN 'failed' WHEN 2 THEN 'scheduled' WHEN 3 THEN 'scheduled'
    WHEN 4 THEN 'pending' WHEN 5 THEN 'pending' ELSE 'completed' END`,
  priority: 'i % 3',
  list: { type: 'type-3', status: 'failed' },
}

/** Only ready jobs, spread over this many types: the worst case for claims without types and for `stats`. */
export function readyOf(types: number): Crowd {
  return {
    type: `'type-' || (i % ${types})`,
    status: `'pending'`,
    priority: '0',
    list: { type: 'type-3', status: 'pending' },
  }
}

/** Worst cases for a claim: jobs of the measured type with higher priority, or of another type ahead of it. */
export const COMPLETED: Crowd = only(TARGET, 'completed')
export const SCHEDULED: Crowd = only(TARGET, 'scheduled')
export const OTHER_READY: Crowd = only('other', 'pending')

function only(type: string, status: string): Crowd {
  return { type: `'${type}'`, status: `'${status}'`, priority: '100', list: { type, status } }
}

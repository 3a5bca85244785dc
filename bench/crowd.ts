/** Tables full of jobs: what stands in the way of the jobs that are measured, as SQL over the row number `i`. */

/** The type of the jobs that are measured, always of priority 0. */
export const TARGET = 'target'

export interface Crowd {
  /** SQL expressions. */
  readonly type: string
  readonly status: string
  readonly priority: string
  /** The type and status whose newest jobs are listed. */
  readonly list: { readonly type: string; readonly status: string }
}

/** A table as it looks after some time: ten types, most jobs done, some failed, some for later, some ready. */
export const MIXED: Crowd = {
  type: `'type-' || (i % 10)`,
  status: `CASE (i / 10) % 20 WHEN 0 THEN 'failed' WHEN 1 THEN 'failed' WHEN 2 THEN 'scheduled' WHEN 3 THEN 'scheduled'
    WHEN 4 THEN 'pending' WHEN 5 THEN 'pending' ELSE 'completed' END`,
  priority: 'i % 3',
  list: { type: 'type-3', status: 'failed' },
}

/** Every job ready, spread over this many types: what a claim without types and `stats` have to look at. */
export function readyOf(types: number): Crowd {
  return {
    type: `'type-' || (i % ${types})`,
    status: `'pending'`,
    priority: '0',
    list: { type: 'type-3', status: 'pending' },
  }
}

/** Of the measured type and of higher priority, or of another type and ahead of it: the hardest each can be. */
export const COMPLETED: Crowd = only(TARGET, 'completed')
export const SCHEDULED: Crowd = only(TARGET, 'scheduled')
export const OTHER_READY: Crowd = only('other', 'pending')

function only(type: string, status: string): Crowd {
  return { type: `'${type}'`, status: `'${status}'`, priority: '100', list: { type, status } }
}

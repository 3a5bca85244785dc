/** Rows of keys, and the jobs that they count, in SQL of both dialects. */

// Numbers as double precision: PostgreSQL would return bigint as text.
const number = (column: string, name: string) => `cast(${column} as double precision) as "${name}"`

export const SELECT_KEYS = `select name, key, override, ${[
  number('pending', 'pending'),
  number('processing', 'processing'),
  number('blocked', 'blocked'),
  number('tat', 'tat'),
  number('busy_until', 'busyUntil'),
  number('wake_at', 'wakeAt'),
  number('turn_seq', 'turnSeq'),
  number('stopped_at', 'stoppedAt'),
].join(', ')} from millrace_job_groups order by name, key`

export const COUNT_KEYS = `select group_name as name, group_key as key, status, ${number('count(*)', 'n')} from millrace_jobs
  where group_key is not null and status in ('pending', 'processing', 'blocked') group by group_name, group_key, status`

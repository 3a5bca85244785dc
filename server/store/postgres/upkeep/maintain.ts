/** Merges the counter rows of all nodes and the minute rows of all commits, so that sums stay cheap. */
import { addHistogram, emptyHistogram, encodeHistogram } from '../../../../shared/stats/histogram.ts'
import { columnsOf, type RowOf } from '../../rows/tables.ts'
import { columns, type Session } from '../connection/session.ts'

/** Maximum number of rows per table and step. */
const STEP = 5_000

const MINUTE = columnsOf('jobMinutes', [
  ...(['minute', 'type', 'enqueued', 'completed', 'failed', 'dead', 'waits', 'runs', 'runMs'] as const),
])
type MinuteDelta = RowOf<typeof MINUTE>

export async function fold(session: Session): Promise<{ readonly more: boolean }> {
  const counts = await foldCounts(session)
  const minutes = await foldMinutes(session)
  return { more: counts === STEP || minutes === STEP }
}

/** Skips locked rows. A node whose row was merged inserts a new one. */
async function foldCounts(session: Session): Promise<number> {
  const [row] = await session.rows<{ folded: number }>(
    'fold-counts',
    `WITH taken AS (
       DELETE FROM millrace_job_counts WHERE ctid = ANY(ARRAY(
         SELECT c.ctid FROM millrace_job_counts c JOIN (
           SELECT type, status FROM millrace_job_counts GROUP BY type, status HAVING count(*) > 1 OR sum(n) = 0) AS many
           USING (type, status)
         LIMIT ${STEP} FOR UPDATE OF c SKIP LOCKED))
       RETURNING type, status, n
     ), folded AS (
       INSERT INTO millrace_job_counts (node, type, status, n)
       SELECT '', type, status, sum(n) FROM taken GROUP BY type, status HAVING sum(n) <> 0
       ON CONFLICT (type, status, node) DO UPDATE SET n = millrace_job_counts.n + excluded.n
     )
     SELECT count(*) AS folded FROM taken`,
    [],
  )
  return row?.folded ?? 0
}

/** Histograms are JSON arrays, so they are added here and not in SQL. */
async function foldMinutes(session: Session): Promise<number> {
  const taken = await session.rows<MinuteDelta>(
    'take-minutes',
    `DELETE FROM millrace_job_minutes WHERE ctid = ANY(ARRAY(
       SELECT m.ctid FROM millrace_job_minutes m JOIN (
         SELECT minute, type FROM millrace_job_minutes GROUP BY minute, type HAVING count(*) > 1) AS many USING (minute, type)
       LIMIT ${STEP} FOR UPDATE OF m SKIP LOCKED))
     RETURNING ${MINUTE.list}`,
    [],
  )
  const sums = sumMinutes(taken)
  if (sums.length === 0) return 0
  await session.run(
    'put-minutes',
    `INSERT INTO millrace_job_minutes (minute, type, enqueued, completed, failed, dead, waits, runs, run_ms)
     SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::text[], $8::text[],
       $9::bigint[])`,
    columns(sums, (m) => [m.minute, m.type, m.enqueued, m.completed, m.failed, m.dead, m.waits, m.runs, m.runMs]),
  )
  return taken.length
}

function sumMinutes(deltas: readonly MinuteDelta[]): readonly MinuteDelta[] {
  const groups = new Map<string, MinuteDelta[]>()
  for (const delta of deltas) {
    const key = `${delta.minute} ${delta.type}`
    const group = groups.get(key)
    if (group) group.push(delta)
    else groups.set(key, [delta])
  }
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    if (!first) return []
    const sum = (pick: (delta: MinuteDelta) => number) => group.reduce((total, delta) => total + pick(delta), 0)
    return [
      {
        ...first,
        enqueued: sum(({ enqueued }) => enqueued),
        completed: sum(({ completed }) => completed),
        failed: sum(({ failed }) => failed),
        dead: sum(({ dead }) => dead),
        runMs: sum(({ runMs }) => runMs),
        waits: addHistograms(group.map(({ waits }) => waits)),
        runs: addHistograms(group.map(({ runs }) => runs)),
      },
    ]
  })
}

function addHistograms(histograms: readonly string[]): string {
  const sum = emptyHistogram()
  for (const histogram of histograms) addHistogram(sum, JSON.parse(histogram))
  return encodeHistogram(sum)
}

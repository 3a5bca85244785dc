/** Folds counters of many nodes and minute tallies of many commits, so that sums stay short. */
import { addHistogram, emptyHistogram, encodeHistogram } from '../../../../shared/histogram.ts'
import { columns, type Session } from '../connection/session.ts'

/** Of each table per step; more than that is left to the next step. */
const STEP = 5_000

interface MinuteDelta {
  readonly minute: number
  readonly type: string
  readonly enqueued: number
  readonly completed: number
  readonly failed: number
  readonly dead: number
  readonly waits: string
  readonly runs: string
  readonly runMs: number
}

export async function fold(session: Session): Promise<{ readonly more: boolean }> {
  const counts = await foldCounts(session)
  const minutes = await foldMinutes(session)
  return { more: counts === STEP || minutes === STEP }
}

/** Rows that a commit or another fold holds are left to it; a node whose row was folded begins a new one. */
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

/** Histograms are arrays in JSON: added up here rather than in SQL. */
async function foldMinutes(session: Session): Promise<number> {
  const taken = await session.rows<MinuteDelta>(
    'take-minutes',
    `DELETE FROM millrace_job_minutes WHERE ctid = ANY(ARRAY(
       SELECT m.ctid FROM millrace_job_minutes m JOIN (
         SELECT minute, type FROM millrace_job_minutes GROUP BY minute, type HAVING count(*) > 1) AS many USING (minute, type)
       LIMIT ${STEP} FOR UPDATE OF m SKIP LOCKED))
     RETURNING minute, type, enqueued, completed, failed, dead, waits, runs, run_ms AS "runMs"`,
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
        waits: addUp(group.map(({ waits }) => waits)),
        runs: addUp(group.map(({ runs }) => runs)),
      },
    ]
  })
}

function addUp(histograms: readonly string[]): string {
  const sum = emptyHistogram()
  for (const histogram of histograms) addHistogram(sum, JSON.parse(histogram))
  return encodeHistogram(sum)
}

/** Four processes on one PostgreSQL, killed under load: no key ever exceeds its limit or its rate, and no slot stays taken. */
import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFailed, test } from 'vitest'
import { type Engine, openEngine } from '../../server/index.ts'
import { compiled } from '../support/compiled/compiled.ts'
import { testDatabase } from '../support/postgres/postgres.ts'
import { seeded } from '../support/seeded.ts'
import { GROUPS } from './support/groups-load.ts'
import { ask } from './support/postgres-question.ts'

/** `npm run torture:groups` runs for a minute. */
const RUN_MS = Number(process.env.TORTURE_GROUPS_MS ?? 6_000)
const PROCESSES = 4
const CHILD = compiled('test/torture/support/groups-child')
const MIN_LIFE_MS = 500
const MORE_LIFE_MS = 2_000
const LOOK_MS = 20
const WINDOW_MS = 1_000
const DRAIN_MS = 60_000

test(
  `four processes keep to the limits of keys for ${RUN_MS / 1_000} s while they are killed`,
  async () => {
    const { seed, random } = seeded()
    onTestFailed(() => console.error(`seed ${seed}`))
    const url = await testDatabase()
    const engine = await openEngine({ url, owner: true })
    try {
      for (const { name, rules } of GROUPS) await engine.updateGroup({ name, set: rules, actor: 'test' })
      const until = performance.now() + RUN_MS
      const lives = Array.from({ length: PROCESSES }, (_, place) => liveAndDie(url, place, random, until))
      const looks = await look(url, until)
      const kills = (await Promise.all(lives)).reduce((sum, n) => sum + n, 0)
      await drain(engine)

      expect(looks.wrong).toEqual([])
      expect(looks.number).toBeGreaterThan(RUN_MS / LOOK_MS / 10)
      expect(kills).toBeGreaterThan(PROCESSES)
      expect(await ask(url, TOO_FAST)).toEqual([])
      expect(await ask(url, TAKEN)).toEqual([])
      const [ended] = await ask<{ n: number }>(url, `SELECT count(*)::int AS n FROM millrace_jobs WHERE version > 0`)
      expect(ended?.n).toBeGreaterThan(RUN_MS / 100)
    } finally {
      await engine.close()
    }
  },
  RUN_MS + DRAIN_MS + 60_000,
)

/** Keys with more jobs than their limit, and keys whose counts differ from their jobs, in one snapshot. */
const WRONG = `SELECT name, key, g.pending, g.processing, g.blocked, coalesce(j.pending, 0) AS "realPending",
    coalesce(j.processing, 0) AS "realProcessing", coalesce(j.blocked, 0) AS "realBlocked"
  FROM millrace_job_groups g
  JOIN (VALUES ('limited', 2, 2), ('rated', 1000000, 1), ('ordered', 1, 1), ('narrow', 3, 1)) AS r (name, places, most) USING (name)
  LEFT JOIN (SELECT group_name AS name, group_key AS key, count(*) FILTER (WHERE status = 'pending') AS pending,
      count(*) FILTER (WHERE status = 'processing') AS processing, count(*) FILTER (WHERE status = 'blocked') AS blocked
    FROM millrace_jobs WHERE group_key IS NOT NULL AND finished_at IS NULL GROUP BY 1, 2) AS j USING (name, key)
  WHERE g.pending <> coalesce(j.pending, 0) OR g.processing <> coalesce(j.processing, 0) OR g.blocked <> coalesce(j.blocked, 0)
    OR g.pending + g.processing > r.places OR g.pending > r.most`

/** More starts of a key within a second than its rate allows. Instants are rounded down, so one more may fall into the window. */
const TOO_FAST = `WITH starts AS (
    SELECT group_key, started_at AS at FROM millrace_jobs WHERE group_name = 'rated' AND started_at IS NOT NULL
      AND NOT EXISTS (SELECT FROM millrace_job_attempts a WHERE a.seq = millrace_jobs.seq AND a.version = millrace_jobs.version)
    UNION ALL
    SELECT group_key, a.started_at FROM millrace_job_attempts a JOIN millrace_jobs j USING (seq) WHERE group_name = 'rated')
  SELECT group_key, at, n FROM (SELECT group_key, at,
    count(*) OVER (PARTITION BY group_key ORDER BY at RANGE BETWEEN CURRENT ROW AND ${WINDOW_MS - 1} FOLLOWING) AS n FROM starts) AS windows
  WHERE n > 21`

const TAKEN = `SELECT name, key, pending, processing, blocked, stopped_at FROM millrace_job_groups
  WHERE pending + processing + blocked > 0 OR stopped_at IS NOT NULL`

async function look(
  url: string,
  until: number,
): Promise<{ readonly number: number; readonly wrong: readonly unknown[] }> {
  const wrong: unknown[] = []
  let number = 0
  for (; performance.now() < until; number++) {
    wrong.push(...(await ask(url, WRONG)))
    await sleep(LOOK_MS)
  }
  return { number, wrong }
}

/** Returns how often the process was killed. */
async function liveAndDie(url: string, place: number, random: () => number, until: number): Promise<number> {
  let kills = 0
  while (performance.now() < until) {
    const seed = Math.floor(random() * 2 ** 31)
    const child = spawn(process.execPath, [CHILD, url, `p${place}-${kills}`, String(seed)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const exited = new Promise<NodeJS.Signals | null>((resolve) => child.once('close', (_, signal) => resolve(signal)))
    await ready(child)
    await sleep(MIN_LIFE_MS + random() * MORE_LIFE_MS)
    child.kill('SIGKILL')
    expect(await exited, 'it must not have died by itself').toBe('SIGKILL')
    kills += 1
  }
  return kills
}

function ready(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.stdout?.once('data', () => resolve())
    child.once('close', (code) => reject(new Error(`the child ended early with ${code}`)))
  })
}

/** Works until nothing is left: a slot that stayed taken would leave blocked jobs. The rate is lifted, it was tested before. */
async function drain(engine: Engine): Promise<void> {
  await engine.updateGroup({ name: 'rated', set: { rate: null }, actor: 'test' })
  const types = GROUPS.map(({ name }) => name)
  for (;;) {
    const jobs = await engine.claim({ worker: 'drain', types, limit: 100, waitMs: 100 })
    await engine.exchange({
      worker: 'drain',
      settle: jobs.map(({ id, version }) => ({ kind: 'complete', id, version })),
    })
    const { counts } = await engine.stats()
    const left = counts.pending + counts.processing + counts.retrying + counts.scheduled + counts.blocked
    if (jobs.length === 0 && left === 0) return
  }
}

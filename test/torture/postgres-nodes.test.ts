/** Three real servers on one PostgreSQL under load: failures of nodes, links and database lose nothing. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFailed, onTestFinished, test } from 'vitest'
import { databaseTime } from '../../server/store/postgres/connection/clock.ts'
import { openPostgresStore } from '../../server/store/postgres/store.ts'
import { PostgresLine } from '../support/postgres/connection.ts'
import { type PostgresServer, startPostgres } from '../support/postgres/server.ts'
import { seeded } from '../support/seeded.ts'
import { tempFolder } from '../support/temp.ts'
import { drain } from './support/drain.ts'
import { emptyHistory, FIVE_ZEROS, judge } from './support/history.ts'
import { Load, type LoadParts } from './support/load.ts'
import { Nodes } from './support/nodes.ts'
import { counted, counterRows, jobFacts, leader, tallied } from './support/postgres-evidence.ts'
import { quickCommits, slowCommits, terminateConnections } from './support/postgres-faults.ts'

/** Minimum; `npm run torture:pg` runs many more. */
const JOBS = Number(process.env.TORTURE_JOBS ?? 1_000)
/** Bound after the database is reachable again. */
const READY_MS = 5_000
/** The leader's lease plus two election rounds, on a busy machine. */
const NEW_LEADER_MS = 15_000
const LOOK_MS = 10
/** How many COMMIT responses are dropped on each link. */
const LOST_ANSWERS = 5
/** Duration of link outages and freezes: longer than every timeout. */
const DOWN_MS = 500
const SILENT_MS = 40_000
const LONG_RUN = 10_000

test(
  `loses nothing of ${JOBS} jobs while nodes, connections and PostgreSQL itself are killed`,
  async () => {
    const { seed, random } = seeded()
    onTestFailed(() => console.error(`seed ${seed}`))
    const postgres = await ownPostgres()
    const { url } = postgres
    const lines = await Promise.all([0, 1, 2].map(async () => (await PostgresLine.to(url)).open()))
    const nodes = new Nodes(await tempFolder(), (place) => ({ DATABASE_URL: lines[place]?.url ?? url }), random)
    const parts: LoadParts = { line: nodes, history: emptyHistory(), random }
    const { history } = parts
    await nodes.start()
    const firstLeader = await newLeader(url, null)
    for (const _ of lines.slice(1)) await nodes.start()
    const load = new Load(parts)

    let newLeaderAfter: Promise<number> | undefined
    let [broken, readyMs] = [0, 0]
    const ready = async () => {
      readyMs = Math.max(readyMs, await nodes.ready())
    }
    const faults = [
      async () => {
        expect(await leader(url), 'the first node leads').toBe(firstLeader)
        await nodes.kill(0)
        newLeaderAfter = timed(newLeader(url, firstLeader))
        await nodes.start(0)
      },
      ...inAnyOrder(random, [
        async () => {
          await slowCommits(url)
          broken = await terminateConnections(url)
          await quickCommits(url)
          await ready()
        },
        async () => {
          await slowCommits(url)
          await postgres.restartImmediately()
          await ready()
        },
        async () => {
          const [, second, third] = lines
          await slowCommits(url)
          second?.cut()
          await third?.close()
          await quickCommits(url)
          await sleep(DOWN_MS)
          await third?.open()
          await ready()
        },
        async () => Promise.all(lines.map((line) => loseAnswers(line))),
      ]),
      ...(JOBS < LONG_RUN ? [] : longFaults(nodes, lines, ready)),
    ]
    for (const [number, fault] of faults.entries()) {
      await load.finished((JOBS / faults.length) * (number + random()))
      await fault()
    }
    await load.finished(JOBS)
    await load.end()
    await drain(parts, load)

    expect(judge(history, await jobFacts(url))).toEqual(FIVE_ZEROS)
    // The faults happened under load.
    expect(nodes.unanswered).toBeGreaterThan(0)
    expect(broken).toBeGreaterThan(2)
    expect(lines.map(({ lost }) => lost)).toEqual([LOST_ANSWERS, LOST_ANSWERS, LOST_ANSWERS])
    expect(load.laidAside.size).toBeGreaterThan(JOBS / 100)
    // All nodes recover soon and run until they are stopped.
    const newLeaderMs = await newLeaderAfter
    // Only the long run, which has the machine to itself, has time bounds.
    if (JOBS >= LONG_RUN) {
      expect(readyMs).toBeLessThan(READY_MS)
      expect(newLeaderMs).toBeLessThan(NEW_LEADER_MS)
    }
    expect(await nodes.stop()).toEqual([0, 0, 0])
    await expectTrueCounters(url)
  },
  420_000 + JOBS * 60,
)

/** A separate PostgreSQL: that of the test run is shared and may lose its last commits in a crash. */
async function ownPostgres(): Promise<PostgresServer> {
  const server = await startPostgres({ synchronous_commit: 'on' })
  onTestFinished(server.stop)
  return server
}

/** Before and after folding. */
async function expectTrueCounters(url: string): Promise<void> {
  const unfolded = await counterRows(url)
  await expectSums(url)
  const store = await openPostgresStore({ url, time: databaseTime })
  try {
    while ((await store.maintain()).more);
  } finally {
    await store.close()
  }
  // When each counter had one row already, there was nothing to fold.
  expect((await counterRows(url)).rows).toBeLessThan(Math.max(unfolded.rows, unfolded.counters + 1))
  await expectSums(url)
}

async function expectSums(url: string): Promise<void> {
  const [real, counters] = await counted(url)
  expect(counters).toEqual(real)
  const [jobs, minutes] = await tallied(url)
  expect(minutes).toEqual(jobs)
}

/** Retries while PostgreSQL is unreachable. */
async function newLeader(url: string, last: string | null): Promise<string> {
  for (;;) {
    const now = await leader(url).catch(() => last)
    if (now !== null && now !== last) return now
    await sleep(LOOK_MS)
  }
}

async function timed(task: Promise<unknown>): Promise<number> {
  const from = performance.now()
  await task
  return performance.now() - from
}

/** Commits whose response never reaches the node. */
async function loseAnswers(line: PostgresLine): Promise<void> {
  for (let lost = 1; lost <= LOST_ANSWERS; lost++) {
    line.lose('answer')
    while (line.lost < lost) await sleep(LOOK_MS)
  }
}

/** Faults that last longer than every timeout. */
function longFaults(nodes: Nodes, lines: readonly PostgresLine[], ready: () => Promise<void>) {
  return [
    async () => {
      await nodes.freeze(1, () => sleep(SILENT_MS))
      await ready()
    },
    async () => {
      lines[2]?.silence()
      await sleep(SILENT_MS)
      await lines[2]?.open()
      await ready()
    },
  ]
}

function inAnyOrder<Thing>(random: () => number, things: readonly Thing[]): readonly Thing[] {
  return things
    .map((thing) => ({ thing, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ thing }) => thing)
}

/** What may befall connections to PostgreSQL, in the worst moment: while commits are under way. */
import { setTimeout as sleep } from 'node:timers/promises'
import { ask } from './postgres-question.ts'

/** The longest PostgreSQL allows: between the first word of COMMIT and the flush of its log. */
const SLOW_US = 100_000
const LOOK_MS = 2
const MAX_LOOKS = 500
const OTHERS = 'datname = current_database() AND pid <> pg_backend_pid()'

/** Until a restart or `quickCommits`; resolves when two nodes are in the middle of one. */
export async function slowCommits(url: string): Promise<void> {
  await ask(url, 'ALTER SYSTEM SET commit_siblings = 0')
  await ask(url, `ALTER SYSTEM SET commit_delay = ${SLOW_US}`)
  await reload(url)
  // Not heard of before the next reload or restart.
  await ask(url, 'ALTER SYSTEM RESET ALL')
  for (let looks = 0; looks < MAX_LOOKS && (await underWay(url)) < 2; looks++) await sleep(LOOK_MS)
}

export function quickCommits(url: string): Promise<void> {
  return reload(url)
}

/** Breaks every connection but ours; gives how many. */
export async function terminateConnections(url: string): Promise<number> {
  return (await ask(url, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${OTHERS}`)).length
}

async function reload(url: string): Promise<void> {
  await ask(url, 'SELECT pg_reload_conf()')
}

async function underWay(url: string): Promise<number> {
  const commits = `${OTHERS} AND state = 'active' AND lower(query) = 'commit'`
  const [row] = await ask<{ n: number }>(url, `SELECT count(*)::int AS n FROM pg_stat_activity WHERE ${commits}`)
  return row?.n ?? 0
}

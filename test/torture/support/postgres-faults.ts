/** Connection faults of PostgreSQL during commits. */
import { setTimeout as sleep } from 'node:timers/promises'
import { ask } from './postgres-question.ts'

/** Maximum `commit_delay` of PostgreSQL: time between COMMIT and the WAL flush. */
const SLOW_US = 100_000
const LOOK_MS = 2
const MAX_LOOKS = 500
const OTHERS = 'datname = current_database() AND pid <> pg_backend_pid()'

/** Slows commits until a restart or `quickCommits`. Resolves when two nodes are in a commit. */
export async function slowCommits(url: string): Promise<void> {
  await ask(url, 'ALTER SYSTEM SET commit_siblings = 0')
  await ask(url, `ALTER SYSTEM SET commit_delay = ${SLOW_US}`)
  await reload(url)
  // Takes effect with the next reload or restart.
  await ask(url, 'ALTER SYSTEM RESET ALL')
  for (let looks = 0; looks < MAX_LOOKS && (await underWay(url)) < 2; looks++) await sleep(LOOK_MS)
}

export function quickCommits(url: string): Promise<void> {
  return reload(url)
}

/** Terminates every other connection and returns their number. */
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

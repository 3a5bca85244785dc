/** A separate PostgreSQL server for every system: the installed one with its defaults, else the one of the tests. */
import { dirname } from 'node:path'
import { openShippedPostgres } from '../../postgres/server.ts'
import { Missing } from './program.ts'
import type { Place, Started } from './started.ts'

export async function startPostgres({ folder, logProgress }: Place): Promise<Started> {
  // Beside the folder of the benchmark, because PostgreSQL does not run as root, who alone may enter it.
  const postgres = await openShippedPostgres(dirname(folder), logProgress).catch((error: unknown) => {
    throw new Missing(`PostgreSQL could not be started: ${error instanceof Error ? error.message : error}`)
  })
  const { facts, pid, stop } = postgres
  return { address: await postgres.create('peers'), server: facts, process: pid ?? 'unknown', stop }
}

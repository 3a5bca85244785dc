/** A separate PostgreSQL server for every system: the installed one with its defaults, else the one of the tests. */
import { dirname } from 'node:path'
import { openPostgres, type Postgres } from '../../postgres/server.ts'
import { Missing } from './program.ts'
import type { Place, Started } from './started.ts'

export async function startPostgres(place: Place): Promise<Started> {
  const postgres = await openAny(place)
  return { address: await postgres.create('peers'), server: postgres.facts, pid: postgres.pid, stop: postgres.stop }
}

async function openAny({ folder, logProgress }: Place): Promise<Postgres> {
  // Beside the folder of the benchmark, because PostgreSQL does not run as root, who alone may enter it.
  const beside = dirname(folder)
  try {
    return await openPostgres(beside, 'installed')
  } catch {
    logProgress('no installed PostgreSQL could be started; using the one of the tests, which has no JIT')
  }
  try {
    return await openPostgres(beside, 'npm')
  } catch (error) {
    throw new Missing(`PostgreSQL could not be started: ${error instanceof Error ? error.message : error}`)
  }
}

/** The limit on PostgreSQL: batches of statements and nothing else. */
import { PostgresCommit } from '../limits/postgres-commit.ts'
import { rawSession } from '../limits/raw-session.ts'
import type { Adapter } from '../system.ts'

export const openRawPostgres: Adapter = async (address, payload) => {
  const queue = await PostgresCommit.open(address)
  return rawSession(queue, payload, () => queue.close())
}

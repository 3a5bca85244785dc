/** The limit in process: SQLite with group commit and nothing else. */
import { GroupCommit } from '../limits/group-commit.ts'
import { rawSession } from '../limits/raw-session.ts'
import type { Adapter } from '../system.ts'

export const openRawSqlite: Adapter = async (address, payload) => {
  const queue = new GroupCommit(address)
  return rawSession(queue, payload, async () => queue.close())
}

/** New SQLite files as copies of a migrated, empty one: 6 ms of CPU time per file instead of 12, and a fifth of the writes. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { systemClock } from '../../../server/base/clock.ts'
import { openSqliteStoreSync } from '../../../server/store/sqlite/store.ts'
import { makeTempFolder } from '../temp.ts'

/** The default reserve is several megabytes per file; its size changes no behaviour except on a full disk. */
export const SMALL_RESERVE_BYTES = 4_096

let template: Promise<Buffer> | undefined

export async function writeMigratedFile(file: string): Promise<void> {
  template ??= migrated()
  await writeFile(file, await template, { mode: 0o600 })
}

async function migrated(): Promise<Buffer> {
  const folder = await makeTempFolder()
  try {
    const file = join(folder.path, 'queue.db')
    const options = { file, clock: systemClock, durability: 'normal', maxReserveBytes: SMALL_RESERVE_BYTES } as const
    await openSqliteStoreSync(options).close()
    return await readFile(file)
  } finally {
    await folder.remove()
  }
}

/** A database file that can no longer be written while its write-ahead log can. */
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openEngine } from '../../server/index.ts'
import { startProgram } from '../support/programs/program.ts'
import { call } from '../support/server.ts'
import { tempFolder } from '../support/temp.ts'

/** In blocks of 512 bytes: limits files of the process to 24 MiB. The WAL is checkpointed long before. */
const LIMITED = ['sh', '-c', 'ulimit -f 49152 && exec "$@"', 'sh']
const MOST_JOBS = 120

describe.skipIf(process.platform === 'win32')('failing checkpoints', () => {
  it('failing checkpoints end the server with exit code 70 before the WAL grows, and no acknowledged job is lost', async () => {
    const folder = await tempFolder()
    const file = join(folder, 'queue.db')
    const program = startProgram(folder, { DB_PATH: file, DURABILITY: 'normal' }, LIMITED)
    const url = `http://127.0.0.1:${await program.listening}`
    const payload = 'x'.repeat(400_000)
    const enqueue = () => call({ url }, 'enqueue', 'mutation', { type: 'mail', payload }).catch(() => null)
    let stored = 0
    while (stored < MOST_JOBS && (await enqueue())?.status === 200) stored += 1
    expect(await program.ended).toBe(70)
    expect(program.stdout()).toContain('The WAL cannot be written back to the database file')

    const engine = await openEngine({ url: `sqlite:${file}`, services: false })
    // One more job may be stored without a response.
    expect([stored, stored + 1]).toContain((await engine.counts()).pending)
    await engine.close()
  })
})

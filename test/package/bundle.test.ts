/** Bundled programs without node_modules: workers run, and missing packages are named. */
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { rolldown } from 'rolldown'
import { expect, it, test } from 'vitest'
import { DATABASES } from '../support/places.ts'
import { describeServer } from '../support/server.ts'
import { tempFolder } from '../support/temp.ts'

const ENTRY = JSON.stringify(fileURLToPath(new URL('../../server/index.ts', import.meta.url)))
/** Optional packages are external, as in an application that does not use them. */
const OPTIONAL = /^(?:better-sqlite3|drizzle-orm|pg|express|@trpc\/server|pino)(?:\/|$)/

const WORKER = `
import { openQueue, startWorker } from ${ENTRY}
async function main() {
  const queue = await openQueue(process.argv[2])
  const worker = startWorker(queue, { mail: ({ payload }) => payload.to })
  const { id } = await queue.enqueue({ type: 'mail', payload: { to: 'ada' } })
  const { outcomes } = await queue.result({ ids: [id], waitMs: 20_000 })
  await worker.stop()
  console.log(JSON.stringify(outcomes))
}
main()
`

const MISSING = `
import { createDashboard, openQueue } from ${ENTRY}
const failed = async (call) => { try { await call() } catch (error) { console.log(error.message) } }
async function main() {
  await failed(() => openQueue('sqlite:./x.db'))
  await failed(() => openQueue('postgres://127.0.0.1:9/x'))
  await failed(() => createDashboard({ events: 1, keyring: 1, sessions: 1 }))
}
main()
`

async function runBundle(program: string, format: 'esm' | 'cjs', args: readonly string[] = []) {
  const folder = await tempFolder()
  const input = join(folder, 'program.mjs')
  await writeFile(input, program)
  const modules = fileURLToPath(new URL('../../node_modules', import.meta.url))
  const bundle = await rolldown({
    input,
    platform: 'node',
    external: OPTIONAL,
    logLevel: 'silent',
    resolve: { modules: [modules] },
  })
  const extension = format === 'esm' ? 'mjs' : 'cjs'
  // In chunks: in a single file rolldown would load lazy imports at the start.
  const names = { entryFileNames: `out.${extension}`, chunkFileNames: `[name].${extension}` }
  await bundle.write({ dir: folder, format, ...names })
  const file = join(folder, names.entryFileNames)
  await bundle.close()
  return promisify(execFile)(process.execPath, [file, ...args], { cwd: folder })
}

describeServer(
  'a bundled worker',
  (startServer) => {
    it.each(['esm', 'cjs'] as const)(
      'a bundled worker runs as %s and warns about the missing heartbeat thread',
      async (format) => {
        const { url } = await startServer({ DURABILITY: 'normal' })
        const { stdout, stderr } = await runBundle(WORKER, format, [url])
        expect(JSON.parse(stdout)).toMatchObject([{ status: 'completed', result: 'ada' }])
        expect(stderr).toContain('Mark millrace as external in the bundler to keep the thread')
      },
    )
  },
  DATABASES.slice(0, 1),
)

test('a program without optional packages gets the install command', async () => {
  const { stdout } = await runBundle(MISSING, 'esm')
  const lines = stdout.trim().split('\n')
  expect(lines.slice(0, 2)).toEqual([
    'A queue on a SQLite file needs better-sqlite3 and drizzle-orm; run: npm install better-sqlite3@12 drizzle-orm',
    'A queue on PostgreSQL needs pg and drizzle-orm; run: npm install pg drizzle-orm',
  ])
  expect(lines[2]).toMatch(
    /cannot find the files of the dashboard: this program was bundled.*Mark millrace as external/,
  )
})

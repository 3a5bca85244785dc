/** SIGTERM handling of docs/workers.md, in a separate process. */
import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { compiled } from '../support/compiled/compiled.ts'
import { DATABASES } from '../support/places.ts'

const HANDLER = /process\.once\('SIGTERM'.*?\n\}\)\n/s

describe.each(DATABASES.map((database) => [database.name, database] as const))('a worker on %s', (_, database) => {
  it('a worker exits after SIGTERM', async () => {
    const place = await database.create()
    const child = spawn(process.execPath, [compiled('test/worker/sigterm-program'), place.url()], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    const ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve(signal ?? code)))
    await new Promise((resolve) => child.stdout.once('data', resolve))
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
  })
})

it('docs/workers.md contains the tested SIGTERM handler', async () => {
  const read = async (path: string) => HANDLER.exec(await readFile(new URL(path, import.meta.url), 'utf8'))?.[0]
  expect(await read('../../docs/workers.md')).toBe(await read('./sigterm-program.ts'))
})

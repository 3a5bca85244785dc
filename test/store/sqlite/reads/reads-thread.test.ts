/** Reader thread: long reads off the main thread, errors, restart after a crash. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Worker } from 'node:worker_threads'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createReader, type Reader } from '../../../../server/store/sqlite/reader-thread/reader.ts'
import { type ListInput, listInput } from '../../../../shared/contracts/observe.ts'
import { HOUR } from '../../../../shared/limits.ts'
import { DEFAULTS } from '../../../../shared/settings/settings.ts'
import { compiled } from '../../../support/compiled/compiled.ts'
import { tempFolder } from '../../../support/temp.ts'
import { START } from '../../../support/test-clock.ts'
import { idOf } from '../../reads/rows.ts'
import { Rows } from '../rows.ts'

interface Opened {
  readonly file: string
  readonly reader: Reader
  readonly clock: { now: number }
  /** The threads started so far. */
  readonly threads: Worker[]
}

async function open(): Promise<Opened> {
  const file = join(await tempFolder(), 'queue.db')
  const clock = { now: START }
  const threads: Worker[] = []
  const note = (worker: Worker) => void threads.push(worker)
  process.on('worker', note)
  const reader = createReader(file, { now: () => clock.now, defaults: DEFAULTS, searchBudgetMs: 250 })
  onTestFinished(async () => {
    process.off('worker', note)
    await reader.close()
  })
  return { file, reader, clock, threads }
}

const list = (reader: Reader, input: ListInput = {}) => reader.list(listInput.parse(input))

/** Outcome of the last of many requests, which the thread cannot have finished yet. */
async function lastOfMany(reader: Reader): Promise<unknown> {
  const asked = await Promise.allSettled(Array.from({ length: 100 }, () => list(reader, { search: 'x' })))
  const last = asked.at(-1)
  return last?.status === 'rejected' ? last.reason : last
}

describe('reader thread', () => {
  it('returns the same results as the main thread, and does not block it', async () => {
    const { file, reader, threads } = await open()
    const rows = new Rows(file)
    rows.batch(() => {
      const text = 'hay '.repeat(300)
      for (let n = 1; n <= 18_000; n++)
        rows.job({ payload: { n, text }, status: n <= 16_000 ? 'completed' : 'pending' })
    })
    const plain: ListInput[] = [{}, { status: ['completed'] }, { status: ['completed'], sort: 'oldest', offset: 9_990 }]
    for (const input of plain) expect(await list(reader, input)).toEqual(rows.reads().list(listInput.parse(input)))

    let turns = 0
    let done = false
    const search = list(reader, { search: 'needle' }).finally(() => {
      done = true
    })
    while (!done) {
      await nextTurn()
      turns += 1
    }
    expect((await search).jobs).toEqual([])
    // A scan on the main thread would have allowed no turn.
    expect(turns).toBeGreaterThan(20)
    expect(threads).toHaveLength(1)
  })

  it('sees the latest commit, and uses the clock of the main thread', async () => {
    const { file, reader, clock } = await open()
    const rows = new Rows(file)
    for (let n = 1; n <= 3; n++) {
      const id = rows.job({ payload: { n } })
      expect((await list(reader, { search: `"n":${n}` })).jobs.map((job) => job.id)).toEqual([id])
    }
    const matched = await reader.match({ filter: { payload: { path: 'n', equals: 2 } }, before: 10, limit: 5 })
    expect(matched).toEqual({ ids: [idOf(2)], cursor: null })

    const attempt = { seq: 1, version: 1, type: 'report', started_at: 1, outcome: 'failed', status_after: 'retrying' }
    rows.insert('millrace_job_attempts', { ...attempt, finished_at: START, error: 'e 1', error_key: 'e <n>' })
    const hours = async () => (await reader.failureGroups({ type: null, limit: 5 })).map((group) => group.lastHour)
    expect(await hours()).toEqual([1])
    clock.now += HOUR
    expect(await hours()).toEqual([0])
  })

  it('returns a QueueError with its code, and refuses requests when too many are pending', async () => {
    const { file, reader } = await open()
    new Rows(file).job()
    await expect(list(reader, { cursor: 'broken' })).rejects.toMatchObject({ name: 'QueueError', code: 'BAD_INPUT' })
    const asked = await Promise.allSettled(Array.from({ length: 101 }, () => list(reader)))
    expect(asked.map(({ status }) => status)).toEqual([...new Array(100).fill('fulfilled'), 'rejected'])
    expect(asked[100]).toMatchObject({ reason: { code: 'BUSY' } })
  })

  it('rejects the pending requests of a thread that died, and starts another', async () => {
    const { file, reader, threads } = await open()
    new Rows(file).job()
    await list(reader)
    const asked = lastOfMany(reader)
    await threads[0]?.terminate()
    expect(await asked).toMatchObject({ code: 'BUSY', message: expect.stringContaining('try again') })
    expect((await list(reader)).jobs).toHaveLength(1)
    expect(threads).toHaveLength(2)
  })

  it('reports why it could not start, and starts at the next request', async () => {
    const { file, reader } = await open()
    await expect(list(reader)).rejects.toMatchObject({
      code: 'BUSY',
      message: expect.stringContaining('unable to open'),
    })
    new Rows(file).job()
    expect((await list(reader)).jobs).toHaveLength(1)
  })

  it('ends its thread when closed, also twice or before it started', async () => {
    const { file, reader, threads } = await open()
    new Rows(file).job()
    await list(reader)
    const asked = lastOfMany(reader)
    const exited = threads[0] && once(threads[0], 'exit')
    await Promise.all([reader.close(), reader.close()])
    await exited
    expect(await asked).toMatchObject({ code: 'CLOSED' })
    await expect(list(reader)).rejects.toMatchObject({ code: 'CLOSED' })
    const unused = await open()
    await unused.reader.close()
    expect(unused.threads).toEqual([])
  })

  it('does not keep alive a process that did not close it', async () => {
    const file = join(await tempFolder(), 'queue.db')
    new Rows(file).job()
    const source = compiled('server/store/sqlite/reader-thread/reader')
    const script = `
      const { createReader } = await import(${JSON.stringify(source)})
      const reader = createReader(${JSON.stringify(file)}, { now: () => 1, defaults: {}, searchBudgetMs: 250 })
      const page = await reader.list({ sort: 'newest', limit: 5, payloads: false })
      console.log(page.jobs.length)`
    const args = ['--input-type=module', '--eval', script]
    const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 15_000 })
    expect(stdout.trim()).toBe('1')
  })
})

/** `queuectl enqueue` with lines of JSON from a file or stdin: storage, errors and resuming. */
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Queue } from '../../../shared/queue.ts'
import { until } from '../../support/engine.ts'
import { tempFolder } from '../../support/temp.ts'
import { describeBackends, openBackend } from '../backends.ts'

const mails = (count: number, from = 1) =>
  Array.from({ length: count }, (_, index) => JSON.stringify({ type: 'mail', payload: index + from }))

async function payloads(queue: Queue): Promise<unknown[]> {
  const found: unknown[] = []
  for await (const job of queue.export()) found.push(job.payload)
  return found.reverse()
}

describeBackends('enqueue of many lines', (open) => {
  it('stores jobs in order, in batches, and prints their ids', async () => {
    const { ctlWith, queue } = await open()
    const ran = await ctlWith({ stdin: `${mails(2_345).join('\n')}\n` }, 'enqueue', '-')
    expect([ran.code, ran.stderr]).toEqual([0, '2,345 jobs enqueued.\n'])
    expect(new Set(ran.stdout.trim().split('\n')).size).toBe(2_345)
    expect((await queue.counts()).pending).toBe(2_345)
    expect((await queue.list({ sort: 'oldest', limit: 3, payloads: true })).jobs.map((job) => job.payload)).toEqual([
      1, 2, 3,
    ])
  })

  it('stops at the first invalid line: stores all lines before it, and reports where to continue', async () => {
    const { ctlWith, queue } = await open()
    const lines = [...mails(2), '', '{"type":"mail","priorty":1}', ...mails(2, 3)]
    const ran = await ctlWith({ stdin: lines.join('\n') }, 'enqueue')
    expect(ran.code).toBe(2)
    expect(ran.stderr).toBe(
      'Line 4: a job has no field priorty; did you mean priority? All earlier lines are stored (2 jobs); ' +
        'fix the line and continue with --from-line 4.\n',
    )
    expect(await payloads(queue)).toEqual([1, 2])
    const fixed = lines.map((line) => line.replace('priorty', 'priority')).join('\n')
    expect((await ctlWith({ stdin: fixed }, 'enqueue', '--from-line', '4')).stderr).toBe('3 jobs enqueued.\n')
    expect(await payloads(queue)).toEqual([1, 2, {}, 3, 4])
  })

  it('stops at a number that would change', async () => {
    const { ctlWith, queue } = await open()
    const lines = [...mails(1), '{"type":"mail","payload":{"id":9007199254740993}}', ...mails(1, 2)]
    const ran = await ctlWith({ stdin: lines.join('\n') }, 'enqueue')
    expect([ran.code, ran.stderr]).toEqual([
      2,
      'Line 2: The number 9007199254740993 would be stored as 9007199254740992; send it as a string. ' +
        'All earlier lines are stored (1 job); fix the line and continue with --from-line 2.\n',
    ])
    expect(await payloads(queue)).toEqual([1])
  })

  it('reports the line that the queue rejected, and stores the lines before it', async () => {
    const { ctlWith, queue } = await open()
    const large = JSON.stringify({ type: 'mail', payload: 'x'.repeat(1_048_576) })
    const ran = await ctlWith({ stdin: [...mails(3), large, ...mails(3)].join('\n') }, 'enqueue', '--json')
    expect([ran.code, ran.stderr]).toEqual([
      1,
      expect.stringMatching(/^Line 4: .*All earlier lines are stored \(3 jobs\)/),
    ])
    expect(ran.json.map(({ line }) => line)).toEqual([1, 2, 3])
    expect(await payloads(queue)).toEqual([1, 2, 3])
  })

  it('reports how many duplicates were skipped', async () => {
    const { ctlWith, queue } = await open()
    const stdin = ['{"id":"a","command":"x"}', '{"id":"b","command":"x"}', '{"id":"a","command":"x"}'].join('\n')
    const ran = await ctlWith({ stdin }, 'enqueue')
    expect([ran.code, ran.stderr]).toEqual([0, '2 jobs enqueued, 1 duplicate skipped.\n'])
    expect((await queue.counts()).pending).toBe(2)
  })
})

describe('enqueue of many lines', () => {
  it('reads a file, with options as defaults', async () => {
    const { ctl, queue } = await openBackend('file')
    const file = join(await tempFolder(), 'jobs.ndjson')
    writeFileSync(file, '\ufeff{"payload":"ä"}\r\n{"payload":"€","type":"other"}\r\n')
    expect((await ctl('enqueue', '--file', file, '--type', 'mail', '--priority', '3')).code).toBe(0)
    const { jobs } = await queue.list({ sort: 'oldest', payloads: true })
    expect(jobs.map(({ type, priority, payload }) => [type, priority, payload])).toEqual([
      ['mail', 3, 'ä'],
      ['other', 3, '€'],
    ])
  })

  it('draws a progress bar on a terminal, clears it, and prints no ids', async () => {
    const { ctlWith } = await openBackend('file')
    const file = join(await tempFolder(), 'jobs.ndjson')
    writeFileSync(file, mails(100).join('\n'))
    const ran = await ctlWith({ columns: 80 }, 'enqueue', '--file', file)
    expect(ran.stdout).toBe('')
    expect(ran.stderr).toMatch(/█{24} 100 % {2}100 jobs {2}[\d,]+\/s/)
    expect(ran.stderr.endsWith('\r\u001b[K100 jobs enqueued.\n')).toBe(true)
  })

  it.each([
    ['is missing', 'nowhere.ndjson', 3, /^There is no file .*nowhere\.ndjson\.\n$/],
    ['is a folder', '.', 2, /is a folder; pass a file with one JSON job per line\.\n$/],
  ])('reports when the file %s', async (_, name, code, message) => {
    const { ctl } = await openBackend('file')
    const ran = await ctl('enqueue', '--file', join(await tempFolder(), name))
    expect([ran.code, ran.stderr]).toEqual([code, expect.stringMatching(message)])
  })

  it('reports the line at which reading failed, and stores the lines before it', async () => {
    const { ctlWith, queue } = await openBackend('file')
    const broken = (async function* () {
      yield `${mails(2).join('\n')}\n`
      throw new Error('the pipe broke')
    })()
    const ran = await ctlWith({ stdin: broken }, 'enqueue')
    expect([ran.code, ran.stderr]).toEqual([
      1,
      expect.stringMatching(/^Line 3: cannot read the input \(the pipe broke\)\. .*\(2 jobs\)/),
    ])
    expect(await payloads(queue)).toEqual([1, 2])
  })

  it('stops at Ctrl-C and reports where to continue', async () => {
    const { startCtl, queue } = await openBackend('file')
    const slow = (async function* () {
      yield `${mails(1_000).join('\n')}\n${mails(1, 1_001)}\n`
      // The next line never comes.
      await new Promise(() => {})
    })()
    const running = startCtl({ stdin: slow }, 'enqueue')
    await until(async () => (await queue.counts()).pending === 1_000)
    running.interrupt()
    const ran = await running.ended
    expect([ran.code, ran.stderr]).toEqual([1, '1,000 jobs enqueued.\nStopped; continue with --from-line 1001.\n'])
    expect((await queue.counts()).pending).toBe(1_000)
  })

  it('reports that the outcome is unknown when the server goes away', async () => {
    const { ctlWith } = await openBackend('file')
    const silent = createServer((request) => request.socket.destroy()).listen(0, '127.0.0.1')
    onTestFinished(() => void silent.close())
    await until(() => silent.listening)
    const address = silent.address()
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
    const ran = await ctlWith({ stdin: mails(2).join('\n'), env: { MILLRACE_URL: url } }, 'enqueue')
    expect(ran.code).toBe(5)
    expect(ran.stderr).toMatch(/did not respond .* No earlier line is stored; lines 1 to 2 may or may not be stored/)
    expect(ran.stderr).toContain('Continue with --from-line 1.')
  })
})

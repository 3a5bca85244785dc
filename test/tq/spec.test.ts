/** Programs written for the task queue specification run with `tq`. */
import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { SECOND } from '../../shared/limits.ts'
import { compiled } from '../support/compiled/compiled.ts'
import { tempFolder } from '../support/temp.ts'
import { hostTq } from './host-app.ts'

const PROGRAM = 'test/tq/spec-program'
const WAITING_PROGRAM = 'test/tq/waiting-program'
const address = z.object({ port: z.number() })

/** Local replacement for the internet. */
async function site(answer: (path: string) => boolean = () => true): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = []
  const server = createServer(({ url = '', socket }, response) => {
    asked.push(url)
    if (answer(url)) response.end('hello')
    else socket.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${address.parse(server.address()).port}`, asked }
}

const run = (program: string, ...args: readonly string[]) =>
  promisify(execFile)(process.execPath, [compiled(program), ...args])

const words = (lines: readonly string[], first: string) =>
  lines.filter((line) => line.startsWith(`${first} `)).map((line) => line.slice(first.length + 1))

describe('programs in the form of the specification', () => {
  it('a program runs all its tasks in a separate process and exits when it is stopped', async () => {
    const { url, asked } = await site()
    const file = join(await tempFolder(), 'tasks.db')
    const { stdout, stderr } = await run(PROGRAM, file, url)
    const lines = stdout.trim().split('\n')
    const [before, after] = words(lines, 'stats').map((line) => JSON.parse(line))
    expect(before).toMatchObject({ 'to-do': 9, 'in-progress': 0, success: 0, failed: 0 })
    expect(after).toEqual({
      ...{ 'to-do': 1, 'in-progress': 0, success: 8, failed: 0 },
      byType: {
        fetch_page: { 'to-do': 0, 'in-progress': 0, success: 5, failed: 0 },
        notify: { 'to-do': 0, 'in-progress': 0, success: 1, failed: 0 },
        shrink_picture: { 'to-do': 0, 'in-progress': 0, success: 1, failed: 0 },
        write_letter: { 'to-do': 1, 'in-progress': 0, success: 1, failed: 0 },
      },
    })
    expect(asked.toSorted()).toEqual(['/a', '/b', '/c', '/first', '/second'])
    expect(words(lines, 'notified')).toEqual(['ada'])
    expect(words(lines, 'wrote')).toEqual(['grace|Thanks|See you soon'])
    expect(words(lines, 'shrank')).toEqual(['/pictures/7.jpg'])
    expect(stderr).toBe('')
  }, 60_000)

  it('a program stays alive while its workers wait or are paused', async () => {
    const { stdout } = await run(WAITING_PROGRAM, join(await tempFolder(), 'tasks.db'))
    expect(stdout).toBe('ran after the pause\nran after a wait\n')
  }, 60_000)

  it('a crawler works with worker counts, rate limits and retries', async () => {
    const { tq, clock } = await hostTq()
    const failing = new Set(['/2'])
    const { url, asked } = await site((path) => !failing.delete(path))
    const underWay = new Set<string>()
    let most = 0
    let ended = 0
    const crawl = async (page: string) => {
      underWay.add(page)
      most = Math.max(most, underWay.size)
      try {
        await (await fetch(page)).text()
      } finally {
        underWay.delete(page)
        ended += 1
      }
    }
    tq<{ url: string }>('crawl')
      .setWorker(async (payload) => await crawl(payload.url))
      .setWorkerCount(3)
      .setRateLimit(4)
      .setTimeout(300)
      .setMaxAttempts(5)
    for (let n = 1; n <= 6; n++) tq('crawl').add({ url: `${url}/${n}` })

    const untilEnded = async (count: number) => {
      while (ended < count) await clock.advance(0)
      await clock.advance(0)
    }
    await untilEnded(4)
    expect(tq.stats()).toMatchObject({ success: 3, failed: 1, 'to-do': 2 })
    await clock.advance(SECOND)
    await untilEnded(6)
    expect(tq.stats()).toMatchObject({ success: 5, failed: 1, 'to-do': 0 })
    await clock.advance(12 * SECOND)
    await untilEnded(7)
    expect(tq.stats()).toMatchObject({ success: 6, failed: 0 })
    expect(asked.toSorted()).toEqual(['/1', '/2', '/2', '/3', '/4', '/5', '/6'])
    expect(most).toBe(3)
  })
})

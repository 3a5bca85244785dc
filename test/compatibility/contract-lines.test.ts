/** Every contract line of the five documents is kept or has a row in docs/compatibility.md. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openSimpleQueue } from '../../server/sdk/simple/simple-queue.ts'
import { openBackend } from '../cli/backends.ts'
import { describeRest } from '../rest/send.ts'
import { tempFolder } from '../support/temp.ts'
import { TestClock } from '../support/test-clock.ts'
import { hostTq } from '../tq/host-app.ts'
import { lessonLines } from './database-backed-queues.ts'
import { JSON_QUEUE_SETTINGS, jsonQueueLines } from './json-queue.ts'
import { type Line, rowsOf, walk } from './line.ts'
import { MESSAGE_SETTINGS, messageLines } from './message-server.ts'
import { queuectlLines } from './queuectl.ts'
import { taskModuleLines } from './task-modules.ts'
import { taskProgramLines } from './task-programs.ts'
import { taskRestLines } from './task-rest.ts'

const PAGE = readFileSync('docs/compatibility.md', 'utf8')
const rows = [...PAGE.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, name]) => name ?? '')

/** Checks the lines, and requires a row for each deviation. */
async function hold(document: string, lines: readonly Line[], atLeast: number): Promise<void> {
  expect(lines.length).toBeGreaterThanOrEqual(atLeast)
  for (const row of rowsOf(lines)) referred.add(row)
  counted.set(document, lines.length)
  expect(rowsOf(lines).filter((row) => !rows.includes(row))).toEqual([])
  await walk(lines)
}

const referred = new Set<string>()
const counted = new Map<string, number>()

describeRest('the contracts over HTTP', (startServer) => {
  it('of the JSON queue hold line by line', async () => {
    await hold('json-queue', jsonQueueLines(await startServer(JSON_QUEUE_SETTINGS)), 45)
  })

  it('of the message server hold line by line', async () => {
    await hold('message-server', messageLines(await startServer(MESSAGE_SETTINGS)), 44)
  })

  it('of the task queue hold line by line', async () => {
    const server = await startServer()
    await hold('tasks over REST', taskRestLines(server), 55)
    await hold('task modules', taskModuleLines(server.engine), 70)
  })
})

describe.each(['file', 'postgres'] as const)('the contracts of QueueCTL on %s', (kind) => {
  it('hold line by line', async () => {
    await hold('queuectl', queuectlLines(await openBackend(kind)), 39)
  })
})

describe('the contracts of programs', () => {
  it('of the lesson on queues hold line by line', async () => {
    const clock = new TestClock()
    const queue = openSimpleQueue(join(await tempFolder(), 'queue.db'), { clock })
    onTestFinished(() => queue.close())
    await hold('lesson', lessonLines(queue, clock), 26)
  })

  it('of tq hold line by line', async () => {
    const { tq, clock, warnings } = await hostTq()
    await hold('tq', taskProgramLines({ tq, clock }), 30)
    // Some types in these lines have no worker, which is warned about.
    warnings.length = 0
  })
})

describe('docs/compatibility.md', () => {
  it('has exactly one row for each deviation', () => {
    expect([...referred].toSorted()).toEqual(rows.toSorted())
    expect(new Set(rows).size).toBe(rows.length)
  })

  it('contains the number of contract lines that are checked', () => {
    const total = [...counted.values()].reduce((sum, count) => sum + count, 0)
    expect(PAGE).toContain(`${total} contract lines`)
  })
})

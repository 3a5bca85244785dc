/** `queuectl watch`: the live view on a terminal. */
import { describe, expect, it } from 'vitest'
import { until } from '../../support/engine.ts'
import { sqlite } from '../../support/places.ts'
import { cuttable } from '../../support/proxies/cuttable.ts'
import { startOn } from '../../support/server.ts'
import { describeBackends, openBackend } from '../backends.ts'
import { oneOfEach } from '../jobs.ts'
import { ManualClock } from '../manual-clock.ts'
import { startQueuectl } from '../terminal.ts'

const FRAME = '\u001b[H'

/** Lines on the screen after the last frame, without colours. */
function screen(written: string): string[] {
  const frame = written.split(FRAME).at(-1) ?? ''
  const sequences = new RegExp(`${'\u001b'}\\[[?\\d;]*[A-Za-z]`, 'g')
  return frame.split('\r\n').map((line) => line.replace(sequences, ''))
}

describeBackends('watch', (open) => {
  it('redraws the queue until q is pressed', async () => {
    const backend = await open()
    await oneOfEach(backend)
    const clock = new ManualClock()
    const running = backend.startCtl({ columns: 120, rows: 30, clock }, 'watch')
    await clock.isWaitedFor()
    const first = screen(running.stdout())
    expect(first.length).toBeLessThanOrEqual(30)
    expect(first[0]).toMatch(/^queuectl watch .* \d\d:\d\d:\d\d {2}q quits$/)
    expect(first).toContainEqual(expect.stringMatching(/^pending +2 {3}1 of them not due yet$/))
    expect(first).toContainEqual(expect.stringMatching(/^last 30 min .* runs per minute, at most 3$/))
    expect(first.filter((line) => line.includes('processing  w'))).toHaveLength(2)
    expect(first.every((line) => [...line].length <= 120)).toBe(true)
    await backend.queue.enqueue({ type: 'late', payload: {} })
    clock.tick()
    await until(() => screen(running.stdout()).some((line) => / late +0\/3/.test(line)))
    await clock.isWaitedFor()
    running.press('q')
    const ran = await running.ended
    expect([ran.code, ran.stderr]).toEqual([0, ''])
    expect(ran.stdout.startsWith('\u001b[?1049h\u001b[?25l')).toBe(true)
    expect(ran.stdout.endsWith('\u001b[?25h\u001b[?1049l')).toBe(true)
  })
})

describe('watch', () => {
  it.each([
    ['Ctrl-C as a key', '\u0003'],
    ['Q', 'Q'],
  ])('quits at %s', async (_, key) => {
    const backend = await openBackend('file')
    const clock = new ManualClock()
    const running = backend.startCtl({ columns: 40, rows: 5, clock }, 'watch')
    await clock.isWaitedFor()
    expect(screen(running.stdout())).toHaveLength(5)
    running.press('x')
    running.press(key)
    expect((await running.ended).code).toBe(0)
  })

  it('quits at SIGINT', async () => {
    const backend = await openBackend('file')
    const clock = new ManualClock()
    const running = backend.startCtl({ columns: 80, rows: 24, clock, stdin: '' }, 'watch', '--interval', '5s')
    await clock.isWaitedFor()
    running.interrupt()
    expect((await running.ended).code).toBe(0)
  })

  it('shows that the server is unreachable, and recovers', async () => {
    const { address } = await startOn(sqlite)()
    const line = await cuttable(address.port)
    const clock = new ManualClock()
    const running = startQueuectl(['watch', '--url', line.url], { columns: 150, rows: 24, clock })
    await clock.isWaitedFor()
    expect(screen(running.stdout()).join('\n')).toMatch(/^queue +running$/m)
    line.lead(1)
    line.cut()
    clock.tick()
    await until(() => screen(running.stdout()).some((line) => line.includes('did not respond')))
    // The last snapshot stays on the screen.
    expect(screen(running.stdout()).join('\n')).toMatch(/^queue +running$/m)
    line.lead(address.port)
    await clock.isWaitedFor()
    clock.tick()
    await until(() => !screen(running.stdout()).some((line) => line.includes('did not respond')))
    await clock.isWaitedFor()
    running.press('q')
    expect((await running.ended).code).toBe(0)
  })
})

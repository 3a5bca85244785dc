/** Parent side of a system: its server and the child process with its client and worker. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Figure, LoneEnqueue, MeasureName } from './measures.ts'
import type { Started } from './servers/started.ts'
import type { SystemAnswer, SystemOrder } from './system-process.ts'
import type { System } from './systems.ts'

const PROGRAM = fileURLToPath(new URL('./system-process.js', import.meta.url))
/** A turn that takes longer has failed; turns take about a second, slow drains some more. */
const TURN_LIMIT_MS = 60_000

export class RunningSystem {
  readonly system: System
  readonly started: Started
  /** Milliseconds of one enqueue on the idle system, at its start. */
  loneEnqueueMs = Number.NaN
  private readonly child: ChildProcess
  private readonly ended: Promise<never>
  private isStopped = false

  private constructor(system: System, started: Started, child: ChildProcess) {
    this.system = system
    this.started = started
    this.child = child
    this.ended = once(child, 'exit').then(([code, signal]) => {
      throw new Error(`Its client process ended with ${code ?? signal}.`)
    })
    this.ended.catch(() => {})
  }

  static async start(system: System, parent: string, logProgress: (progress: string) => void): Promise<RunningSystem> {
    const folder = join(parent, system.name)
    mkdirSync(folder)
    const started = await system.start({ folder, logProgress })
    const child = fork(PROGRAM, { execArgv: ['--expose-gc'], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
    const running = new RunningSystem(system, started, child)
    try {
      const { address, process: server } = started
      const opened = await running.order({ adapter: system.adapter, address, folder, server })
      if (!('lone' in opened)) throw new Error('The client process returned no lone enqueue.')
      running.loneEnqueueMs = opened.lone.ms
      if (system.isDurable) requireSync(opened.lone)
      return running
    } catch (error) {
      await running.stop()
      throw error
    }
  }

  async turn(measure: MeasureName, turnMs: number): Promise<Figure> {
    const answer = await this.order({ measure, turnMs })
    if (!('figure' in answer)) throw new Error('The client process returned no figure.')
    return answer.figure
  }

  /** Harmless when repeated. */
  async stop(): Promise<void> {
    if (this.isStopped) return
    this.isStopped = true
    this.child.kill('SIGKILL')
    await this.ended.catch(() => {})
    await this.started.stop()
  }

  private async order(order: SystemOrder) {
    this.child.send(order)
    const limit = new AbortController()
    const tooLong = sleep(TURN_LIMIT_MS, null, { signal: limit.signal }).then(() => {
      throw new Error(`No answer within ${TURN_LIMIT_MS / 1_000} s.`)
    })
    try {
      const [answer] = (await Promise.race([once(this.child, 'message'), this.ended, tooLong])) as [SystemAnswer]
      if (!answer.ok) throw new Error(answer.error)
      return answer
    } finally {
      limit.abort()
      tooLong.catch(() => {})
    }
  }
}

/** Below 1, because the disk is not always equally fast. */
const SYNC_SHARE = 0.5

/** A system that acknowledges a lone job faster than the disk can store a page does not wait for the disk. */
export function requireSync({ ms, perSync }: LoneEnqueue): void {
  if (perSync >= SYNC_SHARE) return
  const figures = `a lone enqueue takes ${ms.toFixed(3)} ms, ${perSync.toFixed(2)} × an fdatasync right after it`
  throw new Error(`It acknowledges jobs that are not on disk: ${figures}.`)
}

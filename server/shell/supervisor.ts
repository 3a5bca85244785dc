/** Supervisor: runs worker processes and restarts them after a crash. */
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Clock, Timer } from '../base/clock.ts'
import { isSource } from '../base/own-files.ts'
import type { ToWorker, WorkerSettings } from './messages.ts'
import { memberName } from './worker-names.ts'

export interface SupervisorOptions {
  /** Settings of each worker; its name is `name` plus an index. */
  readonly settings: WorkerSettings
  readonly count: number
  readonly clock: Clock
  readonly log: (message: string) => void
  /** Starts one worker process; replaced in tests. */
  readonly fork?: () => ChildProcess
}

const FIRST_DELAY_MS = 100
const MAX_DELAY_MS = 30_000
/** A crash after this uptime resets the restart delay. */
const HEALTHY_MS = 10_000

interface Slot {
  readonly name: string
  child: ChildProcess | null
  restart: Timer | null
  startedAt: number
  /** Consecutive crashes, each soon after its start. */
  crashes: number
}

export class Supervisor {
  /** Resolves when all processes have ended, with whether all exited cleanly. */
  readonly ended: Promise<boolean>
  private readonly options: SupervisorOptions
  private readonly slots = new Set<Slot>()
  private isStopping = false
  private isClean = true
  private end: (isClean: boolean) => void = () => {}

  constructor(options: SupervisorOptions) {
    this.options = options
    this.ended = new Promise((resolve) => {
      this.end = resolve
    })
    for (let index = 1; index <= options.count; index++) {
      const name = memberName(options.settings.name, index)
      const slot: Slot = { name, child: null, restart: null, startedAt: 0, crashes: 0 }
      this.slots.add(slot)
      this.start(slot)
    }
  }

  /** Process ids of the running workers. */
  get pids(): readonly number[] {
    return [...this.slots].flatMap(({ child }) => child?.pid ?? [])
  }

  /** With several calls the shortest grace applies. */
  stop(graceMs: number): void {
    this.isStopping = true
    for (const slot of [...this.slots]) {
      slot.restart?.cancel()
      if (slot.child) send(slot.child, { kind: 'stop', graceMs })
      else this.remove(slot)
    }
  }

  /** Kills workers that do not react to `stop`. Their commands end with them. */
  kill(): void {
    this.isStopping = true
    for (const { child } of this.slots) child?.kill('SIGKILL')
  }

  private start(slot: Slot): void {
    const { settings, clock, fork = forkWorker } = this.options
    slot.restart = null
    const child = fork()
    slot.child = child
    slot.startedAt = clock.monotonic()
    child.once('error', (error) => this.options.log(`${slot.name}: ${error.message}`))
    child.once('close', (code, signal) => this.onExit(slot, code, signal))
    send(child, { kind: 'start', settings: { ...settings, name: slot.name } })
  }

  private onExit(slot: Slot, code: number | null, signal: NodeJS.Signals | null): void {
    const { clock, log } = this.options
    slot.child = null
    const how = signal ? `was killed by ${signal}` : `ended with exit code ${code}`
    if (code !== 0 && !this.isStopping) {
      const uptimeMs = clock.monotonic() - slot.startedAt
      slot.crashes = uptimeMs > HEALTHY_MS ? 1 : slot.crashes + 1
      const delayMs = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (slot.crashes - 1))
      log(`${slot.name} ${how}; restarting in ${delayMs / 1_000} s`)
      slot.restart = clock.after(delayMs, () => this.start(slot), true)
      return
    }
    if (code !== 0) {
      this.isClean = false
      log(`${slot.name} ${how} before its jobs were finished`)
    }
    this.remove(slot)
  }

  private remove(slot: Slot): void {
    this.slots.delete(slot)
    if (this.slots.size === 0) this.end(this.isClean)
  }
}

/** A process that has just exited receives nothing; `onExit` handles it. */
function send(child: ChildProcess, message: ToWorker): void {
  if (child.connected) child.send(message, () => {})
}

/** From source, Node 20 needs tsx (a development dependency) to load TypeScript. */
function forkWorker(): ChildProcess {
  const entry = new URL(`./worker-process.${isSource() ? 'ts' : 'js'}`, import.meta.url)
  return fork(fileURLToPath(entry), [], {
    execArgv: isSource() ? ['--import', import.meta.resolve('tsx')] : [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
}

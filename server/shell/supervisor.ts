/** Worker processes under one parent: those that die are started again, those that were asked to end are not. */
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Clock, Timer } from '../base/clock.ts'
import type { ToWorker, WorkerSettings } from './messages.ts'
import { memberName } from './worker-names.ts'

export interface SupervisorParts {
  /** Of one worker; each gets a name of its own after `name`. */
  readonly settings: WorkerSettings
  readonly count: number
  readonly clock: Clock
  readonly say: (words: string) => void
  /** Starts one process. */
  readonly begin?: () => ChildProcess
}

const FIRST_PAUSE_MS = 100
const MAX_PAUSE_MS = 30_000
/** Whoever lived this long did not die of how it was started. */
const HEALTHY_MS = 10_000

interface Slot {
  readonly name: string
  child: ChildProcess | null
  restart: Timer | null
  startedAt: number
  /** In a row, each soon after its start. */
  deaths: number
}

export class Supervisor {
  /** When all have ended: whether all of them did so in good order. */
  readonly ended: Promise<boolean>
  private readonly parts: SupervisorParts
  private readonly slots = new Set<Slot>()
  private isStopping = false
  private isWell = true
  private end: (isWell: boolean) => void = () => {}

  constructor(parts: SupervisorParts) {
    this.parts = parts
    this.ended = new Promise((resolve) => {
      this.end = resolve
    })
    for (let index = 1; index <= parts.count; index++) {
      const name = memberName(parts.settings.name, index)
      const slot: Slot = { name, child: null, restart: null, startedAt: 0, deaths: 0 }
      this.slots.add(slot)
      this.start(slot)
    }
  }

  /** Process ids of the workers that run. */
  get pids(): readonly number[] {
    return [...this.slots].flatMap(({ child }) => child?.pid ?? [])
  }

  /** Asked again, the shortest grace counts. */
  stop(graceMs: number): void {
    this.isStopping = true
    for (const slot of [...this.slots]) {
      slot.restart?.cancel()
      if (slot.child) send(slot.child, { kind: 'stop', graceMs })
      else this.leave(slot)
    }
  }

  /** For those that do not even listen. What they ran ends with them. */
  kill(): void {
    this.isStopping = true
    for (const { child } of this.slots) child?.kill('SIGKILL')
  }

  private start(slot: Slot): void {
    const { settings, clock, begin = forkWorker } = this.parts
    slot.restart = null
    const child = begin()
    slot.child = child
    slot.startedAt = clock.monotonic()
    child.once('error', (error) => this.parts.say(`${slot.name}: ${error.message}`))
    child.once('close', (code, signal) => this.died(slot, code, signal))
    send(child, { kind: 'start', settings: { ...settings, name: slot.name } })
  }

  private died(slot: Slot, code: number | null, signal: NodeJS.Signals | null): void {
    const { clock, say } = this.parts
    slot.child = null
    const how = signal ? `was killed by ${signal}` : `ended with exit code ${code}`
    if (code !== 0 && !this.isStopping) {
      const livedMs = clock.monotonic() - slot.startedAt
      slot.deaths = livedMs > HEALTHY_MS ? 1 : slot.deaths + 1
      const pauseMs = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (slot.deaths - 1))
      say(`${slot.name} ${how}; starting it again in ${pauseMs / 1_000} s`)
      slot.restart = clock.after(pauseMs, () => this.start(slot), true)
      return
    }
    if (code !== 0) {
      this.isWell = false
      say(`${slot.name} ${how} before it was done`)
    }
    this.leave(slot)
  }

  private leave(slot: Slot): void {
    this.slots.delete(slot)
    if (this.slots.size === 0) this.end(this.isWell)
  }
}

/** One that has just died hears nothing; that it died is heard elsewhere. */
function send(child: ChildProcess, message: ToWorker): void {
  if (child.connected) child.send(message, () => {})
}

/** From source, Node 20 needs tsx (a development dependency) to load TypeScript. */
function forkWorker(): ChildProcess {
  const isSource = import.meta.url.endsWith('.ts')
  const entry = new URL(`./worker-process.${isSource ? 'ts' : 'js'}`, import.meta.url)
  return fork(fileURLToPath(entry), [], {
    execArgv: isSource ? ['--import', import.meta.resolve('tsx')] : [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
}

/** Which types hold commands: those are taken, as they come to be known, and nothing else is ever run. */
import type { Clock, Timer } from '../base/clock.ts'
import type { Queue } from '../queue/queue.ts'
import type { Handler } from '../worker/jobs/handler.ts'
import { RetryLater } from '../worker/jobs/handler-errors.ts'

export interface CommandTypesParts {
  readonly queue: Pick<Queue, 'types'>
  /** Only these; null: all there are. */
  readonly only: readonly string[] | null
  readonly run: Handler
  readonly clock: Clock
  readonly onChange: () => void
  readonly onError: (error: unknown) => void
}

/** A new type is found within this. */
const LOOK_MS = 2_000
/** What queuectl calls commands that were given no type: asked for before the first of them is there. */
const USUAL = 'shell'
const NOT_OURS_MS = 60_000

export class CommandTypes {
  /** By type; none before the first look, which also shows that this worker may look. */
  readonly handlers = new Map<string, Handler>()
  private readonly parts: CommandTypesParts
  private readonly kinds = new Map<string, string>()
  private timer: Timer | null = null
  private looking: Promise<void> | null = null
  private isStopped = false

  constructor(parts: CommandTypesParts) {
    this.parts = parts
  }

  /** Looks now and from time to time; a look that fails is only that. */
  async start(): Promise<void> {
    try {
      await this.look()
    } catch (error) {
      this.parts.onError(error)
    }
    if (!this.isStopped) this.timer = this.parts.clock.after(LOOK_MS, () => void this.start())
  }

  stop(): void {
    this.isStopped = true
    this.timer?.cancel()
  }

  private async look(): Promise<void> {
    this.looking ??= this.read().finally(() => {
      this.looking = null
    })
    await this.looking
  }

  private async read(): Promise<void> {
    for (const { name, kind } of await this.parts.queue.types()) this.kinds.set(name, kind)
    this.update()
  }

  /** A type that is not there yet may be asked for: what it holds is known by the time it holds something. */
  private update(): void {
    const known = [...this.kinds.keys()].filter((name) => this.kinds.get(name) === 'command')
    const wanted = (this.parts.only ?? [USUAL, ...known]).filter(
      (name) => (this.kinds.get(name) ?? 'command') === 'command',
    )
    const before = [...this.handlers.keys()]
    for (const name of before) if (!wanted.includes(name)) this.handlers.delete(name)
    for (const name of wanted) this.handlers.set(name, (job) => this.run(job))
    if (before.length !== this.handlers.size || before.some((name) => !this.handlers.has(name))) this.parts.onChange()
  }

  private async run(job: Parameters<Handler>[0]): Promise<unknown> {
    // The type is younger than the last look.
    if (!this.kinds.has(job.type)) await this.look()
    if (this.kinds.get(job.type) === 'command') return this.parts.run(job)
    throw new RetryLater(NOT_OURS_MS, `Type ${job.type} holds no commands; a shell worker does not run it.`)
  }
}

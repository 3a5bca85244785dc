/** Job types of kind `command`: keeps the handlers of a shell worker up to date. */
import type { Queue } from '../../shared/queue.ts'
import type { Clock, Timer } from '../base/clock.ts'
import type { Handler } from '../worker/jobs/handler.ts'
import { RetryLater } from '../worker/jobs/handler-errors.ts'

export interface CommandTypesOptions {
  readonly queue: Pick<Queue, 'types'>
  /** Only these types; null: all types of kind `command`. */
  readonly only: readonly string[] | null
  readonly run: Handler
  readonly clock: Clock
  readonly onChange: () => void
  readonly onError: (error: unknown) => void
}

/** A new type is found within this time. */
const REFRESH_MS = 2_000
/** The type of `queuectl enqueue` without a type; claimed before it exists. */
const DEFAULT_TYPE = 'shell'
const WRONG_KIND_RETRY_MS = 60_000

export class CommandTypes {
  /** By type. Empty before the first refresh, which also checks that the token may read the types. */
  readonly handlers = new Map<string, Handler>()
  private readonly options: CommandTypesOptions
  private readonly kinds = new Map<string, string>()
  private timer: Timer | null = null
  private refreshing: Promise<void> | null = null
  private isStopped = false

  constructor(options: CommandTypesOptions) {
    this.options = options
  }

  /** Refreshes the types now and periodically. A failure is reported and retried. */
  async start(): Promise<void> {
    try {
      await this.refresh()
    } catch (error) {
      this.options.onError(error)
    }
    if (!this.isStopped) this.timer = this.options.clock.after(REFRESH_MS, () => void this.start())
  }

  stop(): void {
    this.isStopped = true
    this.timer?.cancel()
  }

  private async refresh(): Promise<void> {
    this.refreshing ??= this.read().finally(() => {
      this.refreshing = null
    })
    await this.refreshing
  }

  private async read(): Promise<void> {
    for (const { name, kind } of await this.options.queue.types()) this.kinds.set(name, kind)
    this.update()
  }

  /** A type that does not exist yet may be claimed: its kind is known when it has jobs. */
  private update(): void {
    const known = [...this.kinds.keys()].filter((name) => this.kinds.get(name) === 'command')
    const claimed = (this.options.only ?? [DEFAULT_TYPE, ...known]).filter(
      (name) => (this.kinds.get(name) ?? 'command') === 'command',
    )
    const before = [...this.handlers.keys()]
    for (const name of before) if (!claimed.includes(name)) this.handlers.delete(name)
    for (const name of claimed) this.handlers.set(name, (job) => this.run(job))
    if (before.length !== this.handlers.size || before.some((name) => !this.handlers.has(name))) this.options.onChange()
  }

  private async run(job: Parameters<Handler>[0]): Promise<unknown> {
    // The type was created after the last refresh.
    if (!this.kinds.has(job.type)) await this.refresh()
    if (this.kinds.get(job.type) === 'command') return this.options.run(job)
    throw new RetryLater(
      WRONG_KIND_RETRY_MS,
      `Type ${job.type} is not of kind command; a shell worker does not run it.`,
    )
  }
}

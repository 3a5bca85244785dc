/** The server's own worker for webhooks: there only while an operator has set one, or deliveries are still open. */
import { hostname } from 'node:os'
import { SECOND } from '../../../shared/limits.ts'
import { WEBHOOK_TYPE } from '../../../shared/reserved-types.ts'
import { hasWebhooks } from '../../../shared/webhooks.ts'
import type { Clock, Timer } from '../../base/clock.ts'
import { WORKER_VERSION } from '../../base/version.ts'
import type { Engine } from '../../engine/engine.ts'
import { newId } from '../../engine/ids.ts'
import { lineOf } from '../../worker/events.ts'
import { beatEveryMs, HeartbeatLoop } from '../../worker/heartbeats/heartbeats.ts'
import { thisProcess } from '../../worker/this-process.ts'
import { Worker } from '../../worker/worker.ts'
import { deliverer } from './deliver.ts'

/** Settings may be changed by another node, or in the file itself: they are looked at this often. */
const LOOK_MS = 2 * SECOND
const CONCURRENCY = 4
const LEASE_MS = 30 * SECOND
const WAIT_MS = 20 * SECOND
/** For deliveries under way when the server ends; what is given back is delivered again, under the same id. */
const GRACE_MS = 5 * SECOND

export interface WebhooksParts {
  readonly engine: Engine
  readonly clock: Clock
  readonly warn: (message: string) => void
}

export class Webhooks {
  private readonly parts: WebhooksParts
  private worker: Worker | null = null
  private timer: Timer | null = null
  private looking: Promise<void> | null = null
  private stopping: Promise<void> | null = null

  constructor(parts: WebhooksParts) {
    this.parts = parts
  }

  start(): void {
    if (this.timer || this.looking || this.stopping) return
    this.look()
  }

  stop(): Promise<void> {
    this.stopping ??= this.end()
    return this.stopping
  }

  private async end(): Promise<void> {
    // The worker first: soon nobody may wait any more, and it would ask without a pause.
    const ended = this.worker?.stop({ graceMs: GRACE_MS })
    await this.looking
    this.timer?.cancel()
    await ended
  }

  private look(): void {
    this.timer = null
    this.looking = this.decide().then(() => {
      this.looking = null
      if (!this.stopping) this.timer = this.parts.clock.after(LOOK_MS, () => this.look())
    })
  }

  private async decide(): Promise<void> {
    try {
      const { settings, open } = await this.parts.engine.webhooks()
      const isWanted = hasWebhooks(settings) || open > 0
      if (isWanted && !this.worker && !this.stopping) this.worker = this.startWorker()
      else if (!isWanted && this.worker) await this.worker.stop({ graceMs: GRACE_MS })
    } catch {
      // A database that is away is spoken of by those who need it; this only looks again.
    }
  }

  /** Its leases need no thread: nothing here holds the event loop, and a delivery is over long before its lease is. */
  private startWorker(): Worker {
    const { engine, clock, warn } = this.parts
    const name = `webhooks:${hostname()}:${process.pid}:${newId().slice(-6)}`
    const rhythm = { worker: name, leaseMs: LEASE_MS, beatMs: beatEveryMs(LEASE_MS), abortAfterMs: null }
    const worker = new Worker({
      queue: engine,
      handlers: new Map([[WEBHOOK_TYPE, deliverer(engine, clock)]]),
      ...{
        name,
        concurrency: CONCURRENCY,
        version: WORKER_VERSION,
        process: thisProcess(),
        leaseMs: LEASE_MS,
        waitMs: WAIT_MS,
        isLocal: true,
        clock,
        newId,
        random: Math.random,
      },
      heartbeats: (heard) => new HeartbeatLoop({ queue: engine, clock, ...rhythm, ...heard }),
    })
    worker.events.onAny((event) => {
      if (event.kind === 'failed' || event.kind === 'unreachable' || event.kind === 'trouble') {
        warn(`webhooks: ${lineOf(event)}`)
      }
      // Drained by an operator, or no longer wanted: the next look decides anew.
      if (event.kind === 'stopped') this.worker = null
    })
    return worker
  }
}

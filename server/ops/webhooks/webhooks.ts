/** Webhook worker of the server: runs while webhooks are configured or deliveries are open. */
import { hostname } from 'node:os'
import { SECOND } from '../../../shared/limits.ts'
import { WEBHOOK_TYPE } from '../../../shared/reserved-types.ts'
import { hasWebhooks } from '../../../shared/settings/webhooks.ts'
import type { Clock, Timer } from '../../base/clock.ts'
import { newId } from '../../base/ids.ts'
import { WORKER_VERSION } from '../../base/version.ts'
import type { Engine } from '../../engine/engine.ts'
import { formatWorkerEvent } from '../../worker/events.ts'
import { HeartbeatLoop, heartbeatIntervalMs } from '../../worker/heartbeats/heartbeats.ts'
import { thisProcess } from '../../worker/this-process.ts'
import { Worker } from '../../worker/worker.ts'
import { createDeliveryHandler } from './deliver.ts'

/** Interval for reading the settings, which another node may change. */
const REFRESH_MS = 2 * SECOND
const CONCURRENCY = 4
const LEASE_MS = 30 * SECOND
const WAIT_MS = 20 * SECOND
/** Grace for running deliveries at shutdown. A released delivery is sent again with the same id. */
const GRACE_MS = 5 * SECOND

export interface WebhooksOptions {
  readonly engine: Engine
  readonly clock: Clock
  readonly warn: (message: string) => void
}

export class Webhooks {
  private readonly options: WebhooksOptions
  private worker: Worker | null = null
  private timer: Timer | null = null
  private refreshing: Promise<void> | null = null
  private stopping: Promise<void> | null = null

  constructor(options: WebhooksOptions) {
    this.options = options
  }

  start(): void {
    if (this.timer || this.refreshing || this.stopping) return
    this.refresh()
  }

  stop(): Promise<void> {
    this.stopping ??= this.end()
    return this.stopping
  }

  private async end(): Promise<void> {
    // The worker stops first: when the engine refuses waiting claims, it would poll in a busy loop.
    const ended = this.worker?.stop({ graceMs: GRACE_MS })
    await this.refreshing
    this.timer?.cancel()
    await ended
  }

  private refresh(): void {
    this.timer = null
    this.refreshing = this.startOrStop().then(() => {
      this.refreshing = null
      if (!this.stopping) this.timer = this.options.clock.after(REFRESH_MS, () => this.refresh())
    })
  }

  private async startOrStop(): Promise<void> {
    try {
      const { settings, open } = await this.options.engine.webhooks()
      const isNeeded = hasWebhooks(settings) || open > 0
      if (isNeeded && !this.worker && !this.stopping) this.worker = this.startWorker()
      else if (!isNeeded && this.worker) await this.worker.stop({ graceMs: GRACE_MS })
    } catch {
      // Database errors are reported elsewhere; the next refresh tries again.
    }
  }

  /** Needs no heartbeat thread: deliveries do not block the event loop and are much shorter than the lease. */
  private startWorker(): Worker {
    const { engine, clock, warn } = this.options
    const name = `webhooks:${hostname()}:${process.pid}:${newId().slice(-6)}`
    const settings = { worker: name, leaseMs: LEASE_MS, beatMs: heartbeatIntervalMs(LEASE_MS), abortAfterMs: null }
    const worker = new Worker({
      queue: engine,
      handlers: new Map([[WEBHOOK_TYPE, createDeliveryHandler(engine, clock)]]),
      ...{
        name,
        concurrency: CONCURRENCY,
        prefetch: 0,
        version: WORKER_VERSION,
        process: thisProcess(),
        leaseMs: LEASE_MS,
        waitMs: WAIT_MS,
        isLocal: true,
        clock,
        newId,
        random: Math.random,
      },
      heartbeats: (listener) => new HeartbeatLoop({ queue: engine, clock, ...settings, ...listener }),
    })
    worker.events.onAny((event) => {
      if (event.kind === 'failed' || event.kind === 'unreachable' || event.kind === 'error') {
        warn(`webhooks: ${formatWorkerEvent(event)}`)
      }
      // Drained by an operator or not needed: the next refresh may start a new worker.
      if (event.kind === 'stopped') this.worker = null
    })
    return worker
  }
}

/** Starts a complete server: database, engine, HTTP, webhooks, metrics. */
import type { StoreFacts } from '../../shared/records.ts'
import { EventFrames } from '../api/event-frames/event-frames.ts'
import { type Clock, systemClock } from '../base/clock.ts'
import type { Config } from '../base/config/config.ts'
import { refuseUnprotected, type ServerConfig } from '../base/config/server-config.ts'
import type { Log } from '../base/log.ts'
import { openEngine } from '../compose/open-engine.ts'
import type { Engine } from '../engine/engine.ts'
import { createApp } from '../http/app.ts'
import { type Listening, listen } from '../http/listen.ts'
import { ProcessMetrics } from '../http/metrics/process-metrics.ts'
import { backgroundReport } from './background-report.ts'
import { Backups } from './backups.ts'
import { Webhooks } from './webhooks/webhooks.ts'

/** Long enough for a PostgreSQL that starts at the same time and first recovers from a crash. */
const DATABASE_WAIT_MS = 60_000

export interface ServeOptions {
  readonly config: Config
  readonly server: ServerConfig
  readonly log: Log
  /** The built dashboard; null: a development server serves it. */
  readonly pageFolder: string | null
  readonly clock?: Clock
  /** The database can no longer be trusted: the process should exit with code 70. */
  readonly onFatal: (error: Error) => void
}

export interface Serving {
  readonly address: Listening['address']
  /** Dialect, version and location of the database. */
  readonly facts: StoreFacts
  readonly engine: Engine
  readonly frames: EventFrames
  /** AUTH_TOKEN is set or the database has tokens: every request needs one. */
  readonly requiresToken: boolean
  /** Finishes open requests, then releases all resources. Idempotent. */
  close(): Promise<void>
}

export async function serve(options: ServeOptions): Promise<Serving> {
  const { config, server, pageFolder, clock = systemClock, onFatal } = options
  const log = options.log.logger
  const onError = backgroundReport(log, clock)
  const onWarning = (message: string) => log.warn(message)
  const callbacks = { onError, onWarning, onFatal }
  const engine = await openEngine({ ...config, clock, owner: true, databaseWaitMs: DATABASE_WAIT_MS, ...callbacks })
  const frames = new EventFrames({ events: engine.events, counts: () => engine.counts(), clock, onError })
  const processMetrics = new ProcessMetrics(clock)
  processMetrics.start()
  const webhooks = new Webhooks({ engine, clock, warn: onWarning })
  let closing: Promise<void> | null = null

  try {
    const isClosing = () => closing !== null
    const facts = await engine.facts()
    const file = facts.dialect === 'sqlite' && facts.location !== ':memory:' ? facts.location : null
    const backups = new Backups({ url: config.url, file, folder: server.backupFolder, clock })
    backups.keepPrivate(onWarning)
    const context = { engine, frames, backups, clock, log, pageFolder, isClosing, processMetrics }
    const { handle } = createApp({ config: server, ...context })
    await engine.keyring.refresh()
    const requiresToken = server.authToken !== null || engine.keyring.isLocked
    refuseUnprotected(server, requiresToken)
    const listening = await listen(handle, { ...server, clock, onError })
    webhooks.start()
    const close = async () => {
      frames.close()
      const closed = [listening.close(), webhooks.stop(), backups.stop()]
      engine.stopWaiting()
      await Promise.all(closed)
      processMetrics.stop()
      await engine.close()
    }
    return {
      address: listening.address,
      facts,
      engine,
      frames,
      requiresToken,
      close() {
        closing ??= close()
        return closing
      },
    }
  } catch (error) {
    processMetrics.stop()
    await engine.close().catch(onError)
    throw error
  }
}

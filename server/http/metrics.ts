/** `/metrics`: what there is to know of this server, for Prometheus, under the scope `read`. */
import type { RequestHandler } from 'express'
import type { Logger } from 'pino'
import { QueueError } from '../../shared/errors.ts'
import type { Caller } from '../api/caller.ts'
import type { EventFrames } from '../api/event-frames/event-frames.ts'
import type { Clock } from '../base/clock.ts'
import { VERSION } from '../base/version.ts'
import type { Engine } from '../engine/engine.ts'
import { CONTENT_TYPE, Exposition, type Sample } from '../ops/metrics/exposition.ts'
import type { ProcessMetrics } from '../ops/metrics/process-metrics.ts'
import { writeDone, writeLevels } from '../ops/metrics/queue-metrics.ts'
import { requireOwnOrigin } from './auth/guards.ts'
import { identifyPage, type PageAccess } from './auth/session-cookie.ts'
import { within } from './health.ts'
import type { RequestCounts } from './requests/request-counts.ts'

/** A scrape wants an answer, also while the database gives none. */
const LOOK_MS = 5_000

export interface MetricsParts {
  readonly engine: Engine
  readonly frames: EventFrames
  readonly clock: Clock
  readonly log: Logger
  readonly access: PageAccess
  readonly requests: RequestCounts
  readonly processMetrics: ProcessMetrics
}

export function metricsHandler(parts: MetricsParts): RequestHandler {
  return async (request, response) => {
    requireOwnOrigin(request, parts.access)
    requireRead(await identifyPage(request, parts.access))
    const text = await render(parts)
    response.setHeader('content-type', CONTENT_TYPE)
    response.end(text)
  }
}

function requireRead({ scopes, typePrefix }: Caller): void {
  if (!scopes.has('read')) {
    throw new QueueError('FORBIDDEN', '/metrics needs a token with the scope read.', { scope: 'read' })
  }
  if (typePrefix !== null) {
    throw new QueueError('FORBIDDEN', '/metrics concerns the whole queue; it needs a token without a type prefix.', {
      typePrefix,
    })
  }
}

async function render(parts: MetricsParts): Promise<string> {
  const { engine, frames, requests } = parts
  const out = new Exposition()
  const one = (value: number): Sample[] => [[{}, value]]
  const read = await look(parts)
  out.gauge('millrace_build_info', 'Always 1; the labels tell what runs here.', [
    [{ version: VERSION, node: process.version }, 1],
  ])
  out.gauge('millrace_database_up', 'Whether the database answered this scrape.', one(read ? 1 : 0))
  if (read) {
    const { facts, levels } = read
    writeLevels(out, levels)
    out.gauge('millrace_database_size_bytes', 'Size of the database.', one(facts.sizeBytes))
    out.gauge('millrace_database_wal_bytes', 'Size of the write-ahead log; SQLite only.', one(facts.walBytes))
    out.gauge('millrace_database_full', 'Whether new jobs are refused for lack of space.', one(facts.isFull ? 1 : 0))
    out.gauge(
      'millrace_clock_unsure',
      'Whether retention and expiry wait because the clock jumped ahead.',
      one(facts.isClockUnsure ? 1 : 0),
    )
    out.gauge(
      'millrace_database_newer',
      'Whether a newer version has migrated the database under this node.',
      one(facts.hasNewerSchema ? 1 : 0),
    )
  }
  writeDone(out, engine.metrics)
  out.gauge('millrace_waiting_claims', 'Claims that wait for a job here.', one(engine.load.waitingClaims))
  out.gauge('millrace_queued_writes', 'Operations that wait for their commit here.', one(engine.load.queuedWrites))
  out.gauge('millrace_event_streams', 'Open event streams of this server.', one(frames.watcherCount))
  out.gauge('millrace_upkeep_leader', 'Whether this node runs upkeep for all.', one(engine.isLeader ? 1 : 0))
  out.counter(
    'millrace_http_requests_total',
    'Answers of this server; status 499 is a caller who left before one.',
    [...requests.all()].map(({ route, status, n }): Sample => [{ route, status }, n]),
  )
  parts.processMetrics.write(out)
  return out.toString()
}

/** null: the database does not answer, and what does not come from it is told all the same. */
async function look({ engine, clock, log }: MetricsParts) {
  try {
    const read = Promise.all([engine.facts(), engine.levels()])
    const answer = await within(read, LOOK_MS, clock)
    return answer && { facts: answer[0], levels: answer[1] }
  } catch (error) {
    log.warn({ err: error }, 'the database could not be read for metrics')
    return null
  }
}

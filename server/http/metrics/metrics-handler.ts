/** `/metrics` for Prometheus; requires the scope `read`. */
import type { RequestHandler } from 'express'
import type { Logger } from 'pino'
import { QueueError } from '../../../shared/errors.ts'
import type { Caller } from '../../api/caller.ts'
import type { EventFrames } from '../../api/event-frames/event-frames.ts'
import type { Clock } from '../../base/clock.ts'
import { VERSION } from '../../base/version.ts'
import { withTimeout } from '../../base/with-timeout.ts'
import type { Engine } from '../../engine/engine.ts'
import type { SessionAccess } from '../auth/access.ts'
import { authenticate } from '../auth/authenticate.ts'
import { requireOwnOrigin } from '../auth/origin-check.ts'
import type { RequestCounts } from '../requests/request-counts.ts'
import { CONTENT_TYPE, Exposition, type Sample } from './exposition.ts'
import type { ProcessMetrics } from './process-metrics.ts'
import { writeCounters, writeGauges, writeSchedules } from './queue-metrics.ts'

/** A scrape must return even if the database does not respond. */
const READ_TIMEOUT_MS = 5_000

export interface MetricsParts {
  readonly engine: Engine
  readonly frames: EventFrames
  readonly clock: Clock
  readonly log: Logger
  readonly config: SessionAccess
  readonly requests: RequestCounts
  readonly processMetrics: ProcessMetrics
}

export function metricsHandler(parts: MetricsParts): RequestHandler {
  return async (request, response) => {
    requireOwnOrigin(request, parts.config)
    requireRead(await authenticate(request, parts.config))
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
  const read = await readDatabase(parts)
  out.gauge('millrace_build_info', 'Always 1; the labels contain the versions.', [
    [{ version: VERSION, node: process.version }, 1],
  ])
  out.gauge('millrace_database_up', 'Whether the database responded to this scrape.', one(read ? 1 : 0))
  if (read) {
    const { facts, levels } = read
    writeGauges(out, levels)
    writeSchedules(out, levels)
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
      'Whether a newer version has migrated the database while this node was running.',
      one(facts.hasNewerSchema ? 1 : 0),
    )
  }
  writeCounters(out, engine.metrics)
  out.gauge('millrace_waiting_claims', 'Claims that wait for a job on this node.', one(engine.load.waitingClaims))
  out.gauge(
    'millrace_queued_writes',
    'Operations that wait for their commit on this node.',
    one(engine.load.queuedWrites),
  )
  out.gauge('millrace_event_streams', 'Open event streams of this server.', one(frames.subscriberCount))
  out.gauge(
    'millrace_upkeep_leader',
    'Whether this node is the leader, which runs maintenance for all nodes.',
    one(engine.isLeader ? 1 : 0),
  )
  out.counter(
    'millrace_http_requests_total',
    'Responses of this server, and operations of batches, each with its own status; 499: the client closed the connection first.',
    [...requests.all()].map(({ route, status, n }): Sample => [{ route, status }, n]),
  )
  parts.processMetrics.write(out)
  return out.toString()
}

/** null: the database does not respond; the other metrics are exported anyway. */
async function readDatabase({ engine, clock, log }: MetricsParts) {
  try {
    const read = Promise.all([engine.facts(), engine.levels()])
    const result = await withTimeout(read, READ_TIMEOUT_MS, clock)
    return result && { facts: result[0], levels: result[1] }
  } catch (error) {
    log.warn({ err: error }, 'the database could not be read for metrics')
    return null
  }
}

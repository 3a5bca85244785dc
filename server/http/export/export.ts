/** `/export`: streams all jobs that match a filter as a CSV or NDJSON file. */
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setImmediate } from 'node:timers/promises'
import type { RequestHandler } from 'express'
import { z } from 'zod'
import { jobFilter } from '../../../shared/contracts/observe.ts'
import { QueueError } from '../../../shared/errors.ts'
import { MAX_RULES, redactInTurns, ruleProblem } from '../../../shared/redaction/redaction.ts'
import { badInput } from '../../../shared/verbs/parse-input.ts'
import { requireScope } from '../../api/caller.ts'
import { requirePrefix } from '../../api/prefix.ts'
import type { Clock } from '../../base/clock.ts'
import type { Engine } from '../../engine/engine.ts'
import type { SessionAccess } from '../auth/access.ts'
import { authenticate } from '../auth/authenticate.ts'
import { requireOwnOrigin } from '../auth/origin-check.ts'
import type { OpenResponses } from '../requests/open-responses.ts'
import { requestInfo } from '../requests/request-info.ts'
import { type ExportedJob, FORMATS, type Format, formatHeader, formatJob } from './export-lines.ts'

const exportRequest = z.strictObject({
  format: z.enum(FORMATS),
  filter: jobFilter,
  /** Redaction rules: matching values are written as dots. */
  redact: z.array(z.string().refine((rule) => ruleProblem(rule) === null, 'is not a redaction rule')).max(MAX_RULES),
})
type ExportRequest = z.output<typeof exportRequest>

const CONTENT_TYPES: Readonly<Record<Format, string>> = {
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson',
}

export interface ExportParts {
  readonly engine: Engine
  readonly clock: Clock
  readonly openResponses: OpenResponses
  readonly config: SessionAccess
}

export function exportHandler({ engine, clock, openResponses, config }: ExportParts): RequestHandler {
  return async (request, response) => {
    requireOwnOrigin(request, config)
    const info = requestInfo(response)
    info.caller = await authenticate(request, config)
    const { typePrefix } = info.caller
    requireScope(info.caller, ['read'], '/export')
    const wanted = readExportRequest(request.url)
    if (typePrefix !== null) await requirePrefix(typePrefix, { path: 'export', input: wanted.filter, engine })
    response.setHeader('content-type', CONTENT_TYPES[wanted.format])
    response.setHeader('content-disposition', `attachment; filename="${fileName(wanted.format, clock.now())}"`)
    if (request.method === 'HEAD') return void response.end()
    openResponses.add(response, async () => {
      await engine.keyring.refresh()
      return authenticate(request, config)
    })
    try {
      await pipeline(Readable.from(linesOf(engine, wanted, info)), response)
    } catch (error) {
      // The client closed the connection.
      if (!response.destroyed || !isPrematureClose(error)) throw error
    }
  }
}

async function* linesOf(engine: Engine, { format, filter, redact: rules }: ExportRequest, info: { rows: number }) {
  yield formatHeader(format)
  for await (const job of engine.parsed.export(filter)) {
    info.rows += 1
    yield formatJob(format, await redactJob(job, rules))
    // A fast client would keep this loop running and block the event loop for other requests.
    await setImmediate()
  }
}

function readExportRequest(url: string): ExportRequest {
  const given = new URLSearchParams(url.split('?')[1] ?? '')
  const parsed = exportRequest.safeParse({
    format: given.get('format') ?? 'ndjson',
    filter: readFilter(given.get('filter') ?? '{}'),
    redact: given.getAll('redact'),
  })
  if (parsed.success) return parsed.data
  throw badInput(parsed.error)
}

function readFilter(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new QueueError('BAD_INPUT', 'filter must be JSON, such as {"status":["failed"]}.')
  }
}

async function redactJob(job: ExportedJob, rules: readonly string[]): Promise<ExportedJob> {
  if (rules.length === 0) return job
  const payload = await inTurns(redactInTurns(job.payload, 'payload', rules))
  return { ...job, payload, result: await inTurns(redactInTurns(job.result, 'result', rules)) }
}

/** A hundred rules over a large payload take seconds, so the event loop runs between the steps. */
async function inTurns<Value>(turns: Generator<void, Value>): Promise<Value> {
  for (;;) {
    const turn = turns.next()
    if (turn.done) return turn.value
    await setImmediate()
  }
}

function fileName(format: Format, now: number): string {
  return `jobs-${new Date(now).toISOString().slice(0, 19).replaceAll(':', '-')}.${format}`
}

function isPrematureClose(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE'
}

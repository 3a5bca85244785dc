/** `/export`: every job that matches, as a file that a browser saves while it comes, or curl. */
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setImmediate } from 'node:timers/promises'
import type { RequestHandler } from 'express'
import { z } from 'zod'
import { jobFilter } from '../../../shared/contracts/observe.ts'
import { QueueError } from '../../../shared/errors.ts'
import { MAX_RULES, redactInTurns, ruleProblem } from '../../../shared/redaction/redaction.ts'
import { requireScope } from '../../api/caller.ts'
import { requirePrefix } from '../../api/prefix.ts'
import type { Clock } from '../../base/clock.ts'
import type { Engine } from '../../engine/engine.ts'
import { badInput } from '../../engine/verbs/input.ts'
import { requireOwnOrigin } from '../auth/guards.ts'
import { identifyPage, type PageAccess } from '../auth/session-cookie.ts'
import type { OpenAnswers } from '../requests/open-responses.ts'
import { factsOf } from '../requests/request-facts.ts'
import { type ExportedJob, FORMATS, type Format, headOf, lineOf } from './export-lines.ts'

const wish = z.strictObject({
  format: z.enum(FORMATS),
  filter: jobFilter,
  /** Of redaction: what they name is written as dots. */
  redact: z.array(z.string().refine((rule) => ruleProblem(rule) === null, 'is no rule of redaction')).max(MAX_RULES),
})
type Wish = z.output<typeof wish>

const CONTENT_TYPES: Readonly<Record<Format, string>> = {
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson',
}

export interface ExportParts {
  readonly engine: Engine
  readonly clock: Clock
  readonly answers: OpenAnswers
  readonly config: PageAccess
}

export function exportHandler({ engine, clock, answers, config }: ExportParts): RequestHandler {
  return async (request, response) => {
    requireOwnOrigin(request, config)
    const facts = factsOf(response)
    facts.caller = await identifyPage(request, config)
    const { typePrefix } = facts.caller
    requireScope(facts.caller, ['read'], '/export')
    const wanted = readWish(request.url)
    if (typePrefix !== null) await requirePrefix(typePrefix, { path: 'export', input: wanted.filter, engine })
    response.setHeader('content-type', CONTENT_TYPES[wanted.format])
    response.setHeader('content-disposition', `attachment; filename="${nameOf(wanted.format, clock.now())}"`)
    if (request.method === 'HEAD') return void response.end()
    answers.add(response, async () => {
      await engine.keyring.refresh()
      return identifyPage(request, config)
    })
    try {
      await pipeline(Readable.from(linesOf(engine, wanted, facts)), response)
    } catch (error) {
      // Whoever asked has hung up.
      if (!response.destroyed || !isHangUp(error)) throw error
    }
  }
}

async function* linesOf(engine: Engine, { format, filter, redact: rules }: Wish, facts: { rows: number }) {
  yield headOf(format)
  for await (const job of engine.export(filter)) {
    facts.rows += 1
    yield lineOf(format, await hidden(job, rules))
    // A fast reader would keep this loop running without a pause, and everybody else waiting.
    await setImmediate()
  }
}

function readWish(url: string): Wish {
  const given = new URLSearchParams(url.split('?')[1] ?? '')
  const parsed = wish.safeParse({
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

async function hidden(job: ExportedJob, rules: readonly string[]): Promise<ExportedJob> {
  if (rules.length === 0) return job
  const payload = await inTurns(redactInTurns(job.payload, 'payload', rules))
  return { ...job, payload, result: await inTurns(redactInTurns(job.result, 'result', rules)) }
}

/** A hundred rules over a large payload take seconds: between the turns everyone else is answered. */
async function inTurns<Value>(turns: Generator<void, Value>): Promise<Value> {
  for (;;) {
    const turn = turns.next()
    if (turn.done) return turn.value
    await setImmediate()
  }
}

function nameOf(format: Format, now: number): string {
  return `jobs-${new Date(now).toISOString().slice(0, 19).replaceAll(':', '-')}.${format}`
}

function isHangUp(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE'
}

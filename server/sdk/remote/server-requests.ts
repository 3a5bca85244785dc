/** Requests with one or more calls: their body, their timeouts and the outcome of each call. */
import type { BatchOutcome } from '../../../shared/contracts/batch.ts'
import { isBatchFull } from '../../../shared/contracts/batch-full.ts'
import { QueueError } from '../../../shared/errors.ts'
import { limits, MINUTE } from '../../../shared/limits.ts'
import { systemClock } from '../../base/clock.ts'
import { type Call, rejectCall, resolveCall } from './call.ts'
import { errorOf, notFromMillrace } from './server-errors.ts'
import { readResult, type Transport } from './transport.ts'

/** Default of `totalMs`: enough for 8 MiB on a slow connection. */
const TOTAL_MS = 60_000
/** Default of `headersMs`: frequent calls are quick. */
const HEADERS_MS = 5_000
/** A backup of a large file takes long. The server finishes it even if the caller disconnects. */
const BACKUP_MS = 5 * MINUTE

/**
 * The server has executed nothing of a request that it refuses as a whole: larger than its MAX_BODY_BYTES, or with a number that
 * cannot be stored exactly (which only `JSON.rawJSON` writes). Refused operations are outcomes of a batch instead.
 */
const REFUSED_WHOLE: readonly string[] = ['TOO_LARGE', 'BAD_INPUT']

/** How long a server without `batch` gets each call in its own request, before the next attempt: it may be upgraded. */
const WITHOUT_BATCH_MS = 60_000
/** Connections to such a server for the calls of one request. */
const ALONE_AT_ONCE = 10

/** Timeouts of a request; on expiry its calls are rejected with UNREACHABLE. */
export interface Timeouts {
  /** For the whole response, plus the maximum of `waitMs` if the call waits. */
  readonly totalMs: number
  /** For the response headers of frequent calls, in addition to the `waitMs` of the call: detects a dead connection early. */
  readonly headersMs: number
}

/** The returned function settles all calls of a request, and resolves when the request has ended. */
export function requestSender(
  transport: Transport,
  { totalMs = TOTAL_MS, headersMs = HEADERS_MS }: Partial<Timeouts>,
): (calls: readonly Call[]) => Promise<void> {
  let withoutBatchUntil = Number.NEGATIVE_INFINITY

  async function send(calls: readonly Call[]): Promise<void> {
    const [first, second] = calls
    if (!first) return
    // A call that is alone needs no batch.
    if (!second) return sendAlone(first)
    if (systemClock.monotonic() < withoutBatchUntil) return sendEachAlone(calls)
    try {
      const refused = settleAll(calls, await post('batch', batchOf(calls), calls))
      // The first of them may be too large for any batch.
      await send(refused.slice(0, 1))
      await send(refused.slice(1))
    } catch (error) {
      const open = calls.filter(({ isSettled }) => !isSettled)
      if (error instanceof QueueError && REFUSED_WHOLE.includes(error.code)) {
        // Finds the calls that the request was refused for, so that only they fail.
        const half = open.length >> 1
        await send(open.slice(0, half))
        await send(open.slice(half))
      } else if (error instanceof QueueError && error.code === 'NOT_FOUND') {
        // Unknown jobs are outcomes, so this is a server without `batch`, and it has executed nothing.
        withoutBatchUntil = systemClock.monotonic() + WITHOUT_BATCH_MS
        await sendEachAlone(open)
      } else for (const call of open) rejectCall(call, error)
    }
  }

  async function sendAlone(call: Call): Promise<void> {
    try {
      resolveCall(call, await post(call.row.path, call.json, [call]))
    } catch (error) {
      rejectCall(call, error)
    }
  }

  async function sendEachAlone(calls: readonly Call[]): Promise<void> {
    for (let at = 0; at < calls.length; at += ALONE_AT_ONCE) {
      const open = calls.slice(at, at + ALONE_AT_ONCE).filter(({ isSettled }) => !isSettled)
      await Promise.all(open.map(sendAlone))
    }
  }

  async function post<Result>(path: string, body: string | undefined, calls: readonly Call[]): Promise<Result> {
    const { response, cancel } = transport.post({ path, body })
    let open = calls.length
    const settled = () => {
      open -= 1
      if (open === 0) cancel()
    }
    for (const call of calls) call.onEnd = settled
    const waitMs = calls[0]?.waitMs ?? 0
    const timeoutMs = path === 'backup' ? BACKUP_MS : totalMs + (waitMs && limits.waitMs)
    const total = systemClock.after(timeoutMs, () => cancel(noResponse(timeoutMs)))
    // Only these calls expire. The request ends when all its calls have settled.
    const frequent = calls.filter(({ row }) => row.isFrequent)
    const expire = () => {
      for (const call of frequent) rejectCall(call, noResponse(waitMs + headersMs))
    }
    const headers = frequent.length > 0 ? systemClock.after(waitMs + headersMs, expire) : null
    try {
      return await readResult(await response.finally(() => headers?.cancel()))
    } finally {
      total.cancel()
      // The response is complete. Calls that settle from now on do not cancel anything.
      open = 0
    }
  }

  return send
}

function batchOf(calls: readonly Call[]): string {
  let ops = ''
  for (const { name, json } of calls) {
    ops += `${ops && ','}{"verb":"${name}"${json === undefined ? '' : `,"input":${json}`}}`
  }
  return `{"ops":[${ops}]}`
}

/** Returns the calls for which the response had no room: they were not executed, or only read. */
function settleAll(calls: readonly Call[], batch: BatchOutcome | null): readonly Call[] {
  const outcomes = batch?.outcomes
  if (outcomes?.length !== calls.length) throw notFromMillrace()
  const refused: Call[] = []
  for (const [index, call] of calls.entries()) {
    const outcome = outcomes[index]
    if (outcome?.ok) resolveCall(call, outcome.value)
    else if (!isBatchFull(outcome)) rejectCall(call, errorOf(outcome?.error))
    else if (!call.isSettled) refused.push(call)
  }
  return refused
}

function noResponse(timeoutMs: number): Error {
  return new Error(`no response within ${timeoutMs} ms`)
}

/** Requests with one or more calls: their body, their timeouts and the outcome of each call. */
import type { BatchOutcome } from '../../../shared/contracts/batch.ts'
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
  async function send(calls: readonly Call[]): Promise<void> {
    const [first, second] = calls
    if (!first) return
    try {
      // A call that is alone needs no batch.
      if (second) settleAll(calls, await post('batch', batchOf(calls), calls))
      else resolveCall(first, await post(first.row.path, first.json, calls))
    } catch (error) {
      if (second && error instanceof QueueError && REFUSED_WHOLE.includes(error.code)) {
        // Finds the calls that the request was refused for, so that only they fail.
        const open = calls.filter(({ isSettled }) => !isSettled)
        const half = open.length >> 1
        await send(open.slice(0, half))
        await send(open.slice(half))
      } else for (const call of calls) rejectCall(call, error)
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

function settleAll(calls: readonly Call[], batch: BatchOutcome | null): void {
  const outcomes = batch?.outcomes
  if (outcomes?.length !== calls.length) throw notFromMillrace()
  for (const [index, call] of calls.entries()) {
    const outcome = outcomes[index]
    if (outcome?.ok) resolveCall(call, outcome.value)
    else rejectCall(call, errorOf(outcome?.error))
  }
}

function noResponse(timeoutMs: number): Error {
  return new Error(`no response within ${timeoutMs} ms`)
}

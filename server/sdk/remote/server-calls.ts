/** Calls of a server's procedures: gathered into requests, or alone where a call waits. */

import type { JobFilter } from '../../../shared/contracts/observe.ts'
import { encodeInput } from '../../../shared/json/text.ts'
import { limits } from '../../../shared/limits.ts'
import type { ListPage } from '../../../shared/records.ts'
import {
  VERBS,
  type Verb,
  type VerbArguments,
  type VerbResult,
  type VerbRow,
  withoutActor,
} from '../../../shared/verbs/verbs.ts'
import { type Call, rejectOnAbort } from './call.ts'
import { gatherCalls } from './gather-calls.ts'
import { toQueueError } from './server-errors.ts'
import { requestSender, type Timeouts } from './server-requests.ts'
import { itemsIn } from './streamed-items.ts'
import { readResult, type Transport } from './transport.ts'

/** Reads in one request: each may return megabytes, and the server runs only a few of them at a time. */
const MAX_READS = 100

export interface ServerCalls {
  call<Name extends Verb>(name: Name, ...args: VerbArguments<Name>): Promise<VerbResult<Name>>
  /** Rejects with the server's error, or with UNREACHABLE when there is no valid response. */
  send<Result>(name: string, row: VerbRow, input: unknown, signal?: AbortSignal): Promise<Result>
  export(filter: JobFilter | undefined): AsyncGenerator<ListPage['jobs'][number], void>
}

export function serverCalls(url: string, transport: Transport, timeouts: Partial<Timeouts>): ServerCalls {
  const sendRequest = requestSender(transport, timeouts)
  /** Writes, and what workers read: all quick. */
  const addQuick = gatherCalls(sendRequest, limits.batchOps)
  /** Other reads may take long. A batch responds with its slowest call, so they are gathered separately. */
  const addRead = gatherCalls(sendRequest, MAX_READS)

  const send: ServerCalls['send'] = (name, row, input, signal) =>
    new Promise((resolve, reject) => {
      const waitMs = waitMsOf(input)
      const call: Call = {
        url,
        name,
        row,
        json: encodeInput(input),
        waitMs,
        resolve,
        reject,
        isSettled: false,
        onEnd: null,
        unlisten: null,
      }
      if (signal) rejectOnAbort(call, signal)
      if (call.isSettled) return
      if (waitMs > 0 || name === 'backup') void sendRequest([call])
      else if (row.type === 'mutation' || row.isFrequent) addQuick(call)
      else addRead(call)
    })

  return {
    call: (name, ...[input, context]) => send(name, VERBS[name], withoutActor(name, input), context?.signal),
    send,

    /** Streams the response line by line, in the format of tRPC's `httpBatchStreamLink`. */
    async *export(filter) {
      const json = encodeInput(filter)
      try {
        const { response } = transport.post({
          path: 'export?batch=1',
          body: json === undefined ? '{}' : `{"0":${json}}`,
          headers: { 'trpc-accept': 'application/jsonl' },
        })
        const incoming = await response
        const body = incoming.status === 200 && incoming.body
        if (body) yield* itemsIn(body)
        else await readResult(incoming)
      } catch (error) {
        throw toQueueError(error, url)
      }
    },
  }
}

/** `waitMs` of the input, or of its `claim`; 0 without one. */
function waitMsOf(input: unknown): number {
  if (typeof input !== 'object' || input === null) return 0
  if ('waitMs' in input) return Math.max(0, Number(input.waitMs) || 0)
  return 'claim' in input ? waitMsOf(input.claim) : 0
}

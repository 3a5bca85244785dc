/** Per-request data for the log and the API context: request id, row count, caller. */
import type { ServerResponse } from 'node:http'
import type { Caller } from '../../api/caller.ts'
import type { Tally } from '../../api/context.ts'

export interface RequestInfo extends Tally {
  readonly requestId: string
  /** null until the request is authenticated. */
  caller: Caller | null
}

const infoByResponse = new WeakMap<ServerResponse, RequestInfo>()

export function setRequestInfo(response: ServerResponse, info: RequestInfo): void {
  infoByResponse.set(response, info)
}

export function requestInfo(response: ServerResponse): RequestInfo {
  const info = infoByResponse.get(response)
  if (!info) throw new Error('setRequestInfo was not called for this response.')
  return info
}

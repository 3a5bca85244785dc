/** Recognises tRPC requests that the direct handler accepts: plain calls of known procedures, alone or batched. */
import type { IncomingMessage } from 'node:http'
import { typeOfPath } from '../../api/calls/call-path.ts'

export interface DirectRequest {
  readonly paths: readonly string[]
  readonly type: 'mutation' | 'query'
  readonly isBatch: boolean
  /** The input in the URL of a GET; null: none. */
  readonly urlInput: string | null
}

/** Null: the Express handlers take the request. They also answer everything that is malformed. */
export function readDirectRequest(request: IncomingMessage, basePath: string): DirectRequest | null {
  const { method, url = '', headers } = request
  const prefix = `${basePath}/trpc/`
  if ((method !== 'POST' && method !== 'GET') || !url.startsWith(prefix)) return null
  if (headers['trpc-accept'] !== undefined || isForStreamOrPage(headers.accept)) return null
  if (method === 'GET' && headers['content-type'] !== undefined) return null

  const question = url.indexOf('?')
  const names = url.slice(prefix.length, question < 0 ? url.length : question)
  const query = readQuery(method, question < 0 ? '' : url.slice(question + 1))
  if (!query) return null
  const paths = query.isBatch ? names.split(',') : [names]
  const type = commonType(paths)
  return type === null || (type === 'mutation' && method === 'GET') ? null : { paths, type, ...query }
}

function isForStreamOrPage(accept = ''): boolean {
  return accept.includes('application/jsonl') || accept.includes('text/')
}

function readQuery(method: string, text: string): Pick<DirectRequest, 'isBatch' | 'urlInput'> | null {
  if (text === '') return { isBatch: false, urlInput: null }
  if (text === 'batch=1') return { isBatch: true, urlInput: null }
  if (method === 'POST') return null
  const parameters = new URLSearchParams(text)
  const isBatch = parameters.get('batch') === '1'
  if (parameters.size !== (isBatch ? 2 : 1) || !parameters.has('input')) return null
  return { isBatch, urlInput: parameters.get('input') }
}

/** Null for unknown names, and for names of both types: a batch has one method for all its calls. */
function commonType(paths: readonly string[]): DirectRequest['type'] | null {
  const [first, ...others] = paths.map(typeOfPath)
  return first === undefined || others.some((type) => type !== first) ? null : first
}

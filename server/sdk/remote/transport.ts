/** Transport: sends requests to the API of one server. */
import { resultIn, UnexpectedResponse } from './server-errors.ts'

/** What is used of a `ReadableStream`, whose types differ between Node and browsers. */
export interface Bytes {
  getReader(): {
    read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>
    cancel(): Promise<void>
  }
  cancel(): Promise<void>
}

/** A response whose headers have arrived: what is used of the `Response` of `fetch`. */
export interface Incoming {
  readonly status: number
  readonly headers: { get(name: string): string | null }
  /** Read once, and not in addition to `text`. */
  readonly body: Bytes | null
  /** Reads the whole body; rejects if the connection ends before it is complete. */
  text(): Promise<string>
}

export interface Sent {
  readonly response: Promise<Incoming>
  /** Ends the request; its pending promises are rejected. */
  cancel(reason?: Error): void
}

export interface Outgoing {
  /** Relative to the URL of the API, without a leading slash. */
  readonly path: string
  /** JSON; undefined: no body. */
  readonly body: string | undefined
  readonly headers?: Readonly<Record<string, string>>
}

export interface Transport {
  /**
   * Sends a POST request once. A request that fails is never repeated, not even when a connection that was kept alive ends before
   * the response begins: the server may have executed it. Whether a repetition is safe depends on the keys and request ids of its
   * calls, so callers decide.
   */
  post(request: Outgoing): Sent
  /** Closes idle connections. Requests in flight continue. */
  close(): void
}

/** Creates the transport to the API at this URL; `headers` are those of all requests. */
export type Connect = (url: string, headers: Readonly<Record<string, string>>) => Transport

/** Returns the result in a response of Millrace, which always sends JSON; throws the error that it contains. */
export async function readResult<Result>(response: Incoming): Promise<Result> {
  if (response.headers.get('content-type')?.includes('json')) return resultIn(JSON.parse(await response.text()))
  await response.body?.cancel()
  throw new UnexpectedResponse(`sent HTTP ${response.status} without JSON`)
}

/** Parsers of API responses: a full result, or an error in its documented shape without internals. */
import { expect } from 'vitest'
import { ERRORS, type ErrorCode } from '../../../shared/errors.ts'
import { type Answer, call, type TestServer } from '../../support/server.ts'
import { PROCEDURES } from './table.ts'

export interface Refusal {
  readonly status: number
  readonly code: ErrorCode
  readonly message: string
  readonly details: Readonly<Record<string, unknown>>
  readonly path?: string
}

/** One call with the method of its procedure, as curl would send it. */
export function ask(server: Pick<TestServer, 'url'>, procedure: string, input?: unknown): Promise<Answer> {
  const kind = PROCEDURES[procedure]?.kind
  if (kind !== 'query' && kind !== 'mutation') throw new Error(`${procedure} is not to be asked like this`)
  return call(server, procedure, kind, input)
}

/** The data of a success, which must have no other fields; undefined when a call returns nothing. */
export function given<Data>({ status, body }: Answer): Data {
  expect([status, body]).toEqual([200, { result: expect.any(Object) }])
  const { result } = body as { readonly result: { readonly data: Data } }
  expect(Object.keys(result)).toEqual(result.data === undefined ? [] : ['data'])
  return result.data
}

export async function ok<Data>(server: TestServer, procedure: string, input?: unknown): Promise<Data> {
  return given<Data>(await ask(server, procedure, input))
}

export async function refused(server: TestServer, procedure: string, input?: unknown): Promise<Refusal> {
  const answer = await ask(server, procedure, input)
  const refusal = refusalOf(answer)
  expect([answer.status, refusal.path]).toEqual([refusal.status, procedure])
  return refusal
}

/** `[status, code]`, for tables of them. */
export async function refusedWith(server: TestServer, procedure: string, input?: unknown): Promise<[number, string]> {
  const { status, code } = await refused(server, procedure, input)
  return [status, code]
}

/** The error in a body; checks its status and codes against the table of errors. */
export function refusalOf({ body }: Pick<Answer, 'body'>): Refusal {
  expect(body).toEqual({
    error: { message: expect.any(String), code: expect.any(Number), data: expect.any(Object) },
  })
  expectNoInsides(JSON.stringify(body))
  const { message, data } = (body as { readonly error: { message: string; data: Record<string, unknown> } }).error
  const { path, details, queueCode } = data as { path?: string; details: Refusal['details']; queueCode: ErrorCode }
  const { trpc, http } = ERRORS[queueCode]
  expect(data).toEqual({
    code: trpc,
    httpStatus: http,
    queueCode,
    details: expect.any(Object),
    ...(path !== undefined && { path }),
  })
  return { status: http, code: queueCode, message, details, ...(path !== undefined && { path }) }
}

export function expectNoInsides(text: string): void {
  for (const inside of ['"stack"', 'node_modules', '.ts:', '.js:', 'file://', process.cwd()]) {
    expect(text).not.toContain(inside)
  }
}

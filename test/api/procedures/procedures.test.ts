/** Behaviour that all procedures share: complete responses and the same refusals. */
import type { AnyProcedure } from '@trpc/server'
import { expect, it } from 'vitest'
import { appRouter } from '../../../server/api/router.ts'
import { type Answer, call } from '../../support/server.ts'
import { ask, given, type Refusal, refusalOf } from '../support/responses.ts'
import type { Row } from '../support/row.ts'
import { PROCEDURES } from '../support/table.ts'
import { describeApi, picture, type World } from '../support/world.ts'

const ROWS = Object.entries(PROCEDURES)
/** An event stream is open before it can respond with an error. */
const ASKED = ROWS.filter(([, { kind }]) => kind !== 'subscription')
const PLAIN = ROWS.filter(([, { streams }]) => !streams)
const ANSWERED = PLAIN.filter(([, { elsewhere }]) => !elsewhere)

/** The outcomes of one kind of call to many procedures, by name. */
async function outcomes(
  rows: readonly (readonly [string, Row])[],
  send: (procedure: string, row: Row) => Promise<Answer>,
): Promise<Record<string, [status: number, refusal: Refusal]>> {
  const all: Record<string, [number, Refusal]> = {}
  for (const [procedure, row] of rows) {
    const answer = await send(procedure, row)
    all[procedure] = [answer.status, refusalOf(answer)]
  }
  return all
}

const expected = (rows: readonly (readonly [string, Row])[], refusal: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(rows.map(([path]) => [path, [refusal.status, expect.objectContaining({ ...refusal, path })]]))

const inputOf = (world: World, { input }: Row) => input?.(world)

describeApi('every procedure', ({ openWorld }) => {
  it('every procedure has a row in the test table', () => {
    // At run time procedures are flat, keyed by their whole path; the type nests them.
    const procedures: Record<string, unknown> = appRouter._def.procedures
    const kinds = Object.entries(procedures).map(([name, one]) => [name, (one as AnyProcedure)._def.type])
    expect(Object.fromEntries(ROWS.map(([name, { kind }]) => [name, kind]))).toEqual(Object.fromEntries(kinds))
  })

  it.each(ANSWERED.map(([name]) => name))('the response of a procedure is complete: %s', async (name) => {
    const world = await openWorld()
    const row = PROCEDURES[name]
    const data = given(await ask(world.server, name, row && inputOf(world, row)))
    expect(data).toEqual(row?.answer?.(world))
  })

  it('every query responds to POST as to GET', async () => {
    const world = await openWorld()
    const queries = PLAIN.filter(([, { kind }]) => kind === 'query')
    const answers: Record<string, unknown> = {}
    for (const [name, row] of queries) {
      answers[name] = given(await call(world.server, name, 'mutation', inputOf(world, row)))
    }
    expect(answers).toEqual(Object.fromEntries(queries.map(([name, { answer }]) => [name, answer?.(world)])))
  })

  it('every procedure refuses invalid input, names the field and changes nothing', async () => {
    const { server } = await openWorld()
    const rows = ASKED.filter(([, { bad }]) => bad)
    const before = await picture(server)
    const all = await outcomes(rows, (name, { bad }) => ask(server, name, bad?.[0]))
    expect(all).toEqual(expected(rows, { status: 400, code: 'BAD_INPUT' }))
    for (const [name, { bad }] of rows) {
      const [, { message, details }] = all[name] as [number, Refusal]
      expect(`${name} ${message}`).toContain(`${bad?.[1]}: `)
      expect(details).toEqual({ issues: expect.arrayContaining([{ path: bad?.[1], message: expect.any(String) }]) })
    }
    expect(await picture(server)).toEqual(before)
  })

  it('every procedure refuses an unknown key and changes nothing', async () => {
    const world = await openWorld()
    const { server } = world
    const before = await picture(server)
    const all = await outcomes(ASKED, (name, row) => ask(server, name, { ...inputOf(world, row), surprise: 1 }))
    const message = expect.stringContaining('surprise')
    expect(all).toEqual(expected(ASKED, { status: 400, code: 'BAD_INPUT', message }))
    expect(await picture(server)).toEqual(before)
  })

  it.each(['null', '[]', '"text"', '7'])(
    'every procedure refuses %s in place of an object and changes nothing',
    async (text) => {
      const { server } = await openWorld()
      const before = await picture(server)
      const all = await outcomes(PLAIN, (name) => ask(server, name, JSON.parse(text)))
      expect(all).toEqual(expected(PLAIN, { status: 400, code: 'BAD_INPUT' }))
      expect(await picture(server)).toEqual(before)
    },
  )

  it('every procedure refuses a body that is not JSON and changes nothing', async () => {
    const { server } = await openWorld()
    const before = await picture(server)
    const send = async (name: string): Promise<Answer> => {
      const headers = { 'content-type': 'application/json' }
      const response = await fetch(`${server.url}/trpc/${name}`, { method: 'POST', headers, body: '{"id": ' })
      return { status: response.status, headers: response.headers, body: await response.json() }
    }
    const all = await outcomes(PLAIN, send)
    expect(all).toEqual(expected(PLAIN, { status: 400, code: 'BAD_INPUT', message: expect.stringContaining('JSON') }))
    expect(await picture(server)).toEqual(before)
  })

  it('every mutation refuses GET and changes nothing', async () => {
    const world = await openWorld()
    const { server } = world
    const rows = ROWS.filter(([, { kind }]) => kind === 'mutation')
    const before = await picture(server)
    const all = await outcomes(rows, (name, row) => call(server, name, 'query', inputOf(world, row)))
    expect(all).toEqual(expected(rows, { status: 405, code: 'WRONG_METHOD' }))
    expect(await picture(server)).toEqual(before)
  })

  it.each(['PUT', 'PATCH', 'DELETE', 'OPTIONS'])('every procedure refuses the method %s', async (method) => {
    const world = await openWorld()
    const { server } = world
    const before = await picture(server)
    const all = await outcomes(ASKED, async (name, row) => {
      const body = JSON.stringify(inputOf(world, row) ?? {})
      const headers = { 'content-type': 'application/json' }
      const response = await fetch(`${server.url}/trpc/${name}`, { method, headers, body })
      return { status: response.status, headers: response.headers, body: await response.json() }
    })
    const refusal = expect.objectContaining({ status: 405, code: 'WRONG_METHOD' })
    expect(all).toEqual(Object.fromEntries(ASKED.map(([name]) => [name, [405, refusal]])))
    expect(await picture(server)).toEqual(before)
  })

  it('every procedure responds with NOT_FOUND when its target does not exist', async () => {
    const { server } = await openWorld()
    const rows = ROWS.filter(([, { missing }]) => missing)
    const before = await picture(server)
    const all = await outcomes(rows, (name, { missing }) => ask(server, name, missing))
    expect(all).toEqual(expected(rows, { status: 404, code: 'NOT_FOUND' }))
    expect(await picture(server)).toEqual(before)
  })

  it('every settling procedure refuses a stale claim, names it and changes nothing', async () => {
    const world = await openWorld()
    const { server, held } = world
    const rows = ROWS.filter(([, { fenced }]) => fenced)
    const before = await picture(server)
    const version = held.version + 7
    const all = await outcomes(rows, (name, row) => ask(server, name, { ...inputOf(world, row), version }))
    expect(rows.map(([name]) => name)).toEqual(['complete', 'fail', 'release', 'progress', 'log'])
    expect(all).toEqual(expected(rows, { status: 409, code: 'STALE_CLAIM', details: { id: held.id, version } }))
    expect([await picture(server), await server.engine.logs({ id: held.id })]).toEqual([before, [expect.anything()]])
  })

  it('every procedure is refused once the queue is closed', async () => {
    const world = await openWorld()
    const { server } = world
    await server.engine.close()
    const rows = PLAIN.filter(([, { hasOutcomes }]) => !hasOutcomes)
    const all = await outcomes(rows, (name, row) => ask(server, name, inputOf(world, row)))
    expect(all).toEqual(expected(rows, { status: 503, code: 'CLOSED' }))
  })
})

describeApi('a procedure that does not exist', ({ openServer }) => {
  it.each(['nope', 'types', 'types.nope', 'constructor', '__proto__', 'enqueue.constructor'])(
    'an unknown procedure responds with 404: %s',
    async (name) => {
      const server = await openServer()
      for (const kind of ['query', 'mutation'] as const) {
        const answer = await call(server, name, kind, {})
        expect([answer.status, refusalOf(answer).code]).toEqual([404, 'NOT_FOUND'])
      }
    },
  )
})

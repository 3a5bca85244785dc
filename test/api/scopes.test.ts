/** One scope per procedure: callers without it are refused, and the error names the missing scope. */
import { type AnyProcedure, TRPCError } from '@trpc/server'
import { expect, it } from 'vitest'
import type { Caller } from '../../server/api/caller.ts'
import { appRouter } from '../../server/api/router.ts'
import { QueueError } from '../../shared/errors.ts'
import { SCOPES, type Scope } from '../../shared/scopes.ts'
import { PROCEDURE_SCOPES, scopesOf } from '../security/matrix.ts'
import { PROCEDURES } from './support/table.ts'
import { describeApi, picture, type World } from './support/world.ts'

const NAMES = Object.keys(PROCEDURE_SCOPES)
const needs = (name: string) => scopesOf(PROCEDURE_SCOPES[name])

/** Calls one procedure with valid input and only these scopes; returns `allowed` or the refusal. */
async function attempt(world: World, name: string, scopes: readonly Scope[]): Promise<unknown> {
  const { engine, frames } = world.server
  const caller: Caller = { actor: 'someone', scopes: new Set(scopes), typePrefix: null, mayRunCommands: true }
  const context = { engine, frames, caller, isAlone: true, mayWait: false, report: () => {}, tally: { rows: 0 } }
  const procedures = appRouter.createCaller(context)
  // The type nests procedures, and every level is a proxy.
  const procedure = name.split('.').reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], procedures)
  try {
    await (procedure as (input: unknown) => Promise<unknown>)(PROCEDURES[name]?.input?.(world))
    return 'allowed'
  } catch (error) {
    if (!(error instanceof TRPCError) || !(error.cause instanceof QueueError)) throw error
    const { code, details } = error.cause
    // Other errors count as allowed, because an earlier call of this test may have removed the target.
    return code === 'FORBIDDEN' ? [error.code, code, details] : 'allowed'
  }
}

const forbidden = (name: string) => ['FORBIDDEN', 'FORBIDDEN', { scope: needs(name)[0] }]

describeApi('every procedure', ({ openWorld }) => {
  it('every procedure requires the scope in the table', () => {
    // At run time procedures are flat, keyed by their whole path; the type nests them.
    const procedures: Record<string, unknown> = appRouter._def.procedures
    const asked = Object.entries(procedures).map(([name, one]) => [name, (one as AnyProcedure)._def.meta])
    expect(Object.fromEntries(asked)).toEqual(Object.fromEntries(NAMES.map((name) => [name, { scopes: needs(name) }])))
  })

  it.each(SCOPES)('every procedure with the scope %s accepts a caller with only that scope', async (scope) => {
    const world = await openWorld()
    const mine = NAMES.filter((name) => needs(name).includes(scope))
    const all: Record<string, unknown> = {}
    for (const name of mine) all[name] = await attempt(world, name, [scope])
    expect(all).toEqual(Object.fromEntries(mine.map((name) => [name, 'allowed'])))
  })

  it.each(SCOPES)(
    'every procedure without the scope %s refuses a caller with only that scope and changes nothing',
    async (scope) => {
      const world = await openWorld()
      const before = await picture(world.server)
      const others = NAMES.filter((name) => !needs(name).includes(scope))
      const all: Record<string, unknown> = {}
      for (const name of others) all[name] = await attempt(world, name, [scope])
      expect(all).toEqual(Object.fromEntries(others.map((name) => [name, forbidden(name)])))
      expect(await picture(world.server)).toEqual(before)
    },
  )

  it('every procedure refuses a caller with all other scopes, and one with none', async () => {
    const world = await openWorld()
    const before = await picture(world.server)
    for (const name of NAMES) {
      const others = SCOPES.filter((scope) => !needs(name).includes(scope))
      expect([await attempt(world, name, others), await attempt(world, name, [])]).toEqual([
        forbidden(name),
        forbidden(name),
      ])
    }
    expect(await picture(world.server)).toEqual(before)
  })
})

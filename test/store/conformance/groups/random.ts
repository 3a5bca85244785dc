/** Random sequences of commits on keys, with the rules of groups checked after every one. A failure prints its seed and shrinks. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Outcome } from '../../../../server/store/ops.ts'
import { isTerminal } from '../../../../shared/status.ts'
import type { StoreHarness } from '../../harness.ts'
import { complete, rescue, updateGroup } from '../fixtures.ts'
import { Kit } from '../kit.ts'
import { GroupKit, stuckKeys } from './group-kit.ts'
import { Checks } from './random-checks.ts'
import { operation, type Step, steps, TYPES } from './random-steps.ts'

const REFUSALS = ['NOT_FOUND', 'STALE_CLAIM', 'WRONG_STATE', 'DUPLICATE_KEY']
const DEFAULTS = { maxAttempts: 3, crashBudget: 2, leaseMs: 10_000 } as const

export function describeRandomGroups(harness: StoreHarness, runs: number): void {
  const limitMs = 60_000 + runs * 400
  describe('keys of groups in random sequences', () => {
    it(
      `keys keep to their rules after every commit of ${runs} random sequences, and every job ends`,
      async () => {
        await fc.assert(
          fc.asyncProperty(steps, async (sequence) => {
            try {
              await follow(await Kit.open(harness, DEFAULTS), sequence)
            } finally {
              await harness.cleanup()
            }
          }),
          { numRuns: runs, interruptAfterTimeLimit: limitMs, markInterruptAsFailure: true },
        )
      },
      limitMs + 30_000,
    )
  })
}

async function follow(kit: Kit, sequence: readonly Step[]): Promise<void> {
  const types = Object.entries(TYPES).map(([name, group]) => ({ name, kind: 'job' as const, declared: { group } }))
  await kit.run({ kind: 'declareTypes', types })
  const other = await kit.another()
  const checks = new Checks(kit)
  const ids: string[] = []
  for (const step of sequence) {
    await kit.advance(step.ms)
    const jobs = await kit.store.getMany(ids)
    const ops = step.choices.map((choice) => operation(choice, jobs))
    const connection = step.other ? other : kit
    const outcomes = await connection.outcomes(...ops)
    expect(outcomes.flatMap(refusal)).toEqual([])
    for (const op of ops) if (op.kind === 'enqueue') ids.push(...op.jobs.map(({ id }) => id))
    // As the engine does after a change of rules.
    if (ops.some(({ kind }) => kind === 'updateGroup')) await new GroupKit(connection).admit()
    await checks.after(ops, outcomes, await kit.store.getMany(ids))
  }
  await new GroupKit(kit).promote()
  expect(await stuckKeys(kit)).toEqual([])
  await finishAll(kit, ids)
}

function refusal(outcome: Outcome): string[] {
  return outcome.ok || REFUSALS.includes(outcome.error.code) ? [] : [`${outcome.error.code}: ${outcome.error.message}`]
}

/** Without pauses and stops every job ends, by nothing but claims, completions and due times. */
async function finishAll(kit: Kit, ids: readonly string[]): Promise<void> {
  const group = new GroupKit(kit)
  for (const { name, key } of (await kit.harness.keyRows()).rows) {
    await kit.run(updateGroup({ name, clear: ['paused', 'concurrency'] }))
    await kit.run(updateGroup({ name, key, clear: ['paused', 'concurrency'], resume: true }))
  }
  await group.admit()
  const open = async () => (await kit.store.getMany(ids)).filter(({ status }) => !isTerminal(status))
  for (let turn = 0; turn < 40 * (ids.length + 1); turn++) {
    const { promoteAt, leaseAt } = await kit.store.nextDue()
    const leases = await kit.claim({ worker: `worker-${turn}`, limit: 100 })
    await kit.outcomes(...leases.map((lease) => complete(lease)), rescue)
    if ((await open()).length === 0) break
    for (const { name, key, stoppedAt } of (await kit.harness.keyRows()).rows) {
      if (stoppedAt !== null) await kit.run(updateGroup({ name, key, resume: true }))
    }
    // Only due times may move the clock: a key without one would wait for ever.
    const next = Math.min(promoteAt ?? Number.POSITIVE_INFINITY, leaseAt ?? Number.POSITIVE_INFINITY)
    if (leases.length === 0 && Number.isFinite(next)) await kit.advance(Math.max(0, next - kit.clock.now()))
  }
  expect((await open()).map(({ id, status }) => ({ id, status }))).toEqual([])
  await group.promote()
  for (const row of (await kit.harness.keyRows()).rows) {
    expect(row).toMatchObject({ pending: 0, processing: 0, blocked: 0 })
  }
}

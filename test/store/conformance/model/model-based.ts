/** Random sequences of commits, compared with the model after every one. A failure prints its seed and shrinks. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Op, Outcome } from '../../../../server/store/ops.ts'
import type { JobSummary } from '../../../../shared/job.ts'
import { emptyCounts, type StatusCounts } from '../../../../shared/status.ts'
import type { StoreHarness } from '../../harness.ts'
import { Kit } from '../kit.ts'
import { Model } from './model.ts'
import { MODEL_DEFAULTS, type ModelJob } from './model-job.ts'
import type { Expected } from './model-jobs.ts'
import { commits, operation, type Step } from './model-operations.ts'

export function describeModel(harness: StoreHarness, runs: number): void {
  // On a busy machine 25 sequences on PostgreSQL take 12 s and more.
  const limitMs = 60_000 + runs * 200
  describe('the store and its model', () => {
    it(
      `the store and its model agree after every commit of ${runs} random sequences`,
      async () => {
        await fc.assert(
          fc.asyncProperty(commits, async (steps) => {
            try {
              await follow(await Kit.open(harness, MODEL_DEFAULTS), steps)
            } finally {
              await harness.cleanup()
            }
          }),
          // Time for the runs and for shrinking a failure. The seed is printed in any case.
          { numRuns: runs, interruptAfterTimeLimit: limitMs, markInterruptAsFailure: true },
        )
      },
      limitMs + 30_000,
    )
  })
}

async function follow(kit: Kit, steps: readonly Step[]): Promise<void> {
  const model = new Model()
  const other = await kit.another()
  const ids: string[] = []
  for (const step of steps) {
    await kit.advance(step.ms)
    const ops = step.choices.map((choice) => operation(choice, model, ids, step.choices.length === 1))
    const expected = model.commit(ops, kit.clock.now(), step.other ? 'other' : 'first')
    const outcomes = await (step.other ? other : kit).outcomes(...ops)
    expect(outcomes.map((outcome, index) => asExpected(ops[index], outcome))).toEqual(expected)
    for (const op of ops) if (op.kind === 'enqueue') ids.push(...op.jobs.map(({ id }) => id))
    await compare(kit, model, ids)
  }
}

async function compare(kit: Kit, model: Model, ids: readonly string[]): Promise<void> {
  const stored = await kit.store.getMany(ids)
  expect(stored.toSorted((a, b) => a.seq - b.seq).map(storedRow)).toEqual(model.jobs.map(modelRow))
  const counts = new Map<string, StatusCounts>()
  for (const { input, status } of model.jobs) {
    const ofType = counts.get(input.type) ?? emptyCounts()
    counts.set(input.type, { ...ofType, [status]: ofType[status] + 1 })
  }
  expect(await kit.counts()).toEqual(counts)
  expect(await kit.store.nextDue()).toEqual(model.nextDue())
}

const modelRow = (job: ModelJob): unknown => ({
  id: job.input.id,
  status: job.status,
  attempts: job.attempts,
  crashes: job.crashes,
  version: job.version,
  runAt: job.runAt,
  error: job.error,
  lockedBy: job.worker,
  claimRequestId: job.request,
  leaseUntil: job.leaseUntil,
  leaseMs: job.leaseMs,
  startedAt: job.startedAt,
  finishedAt: job.finishedAt,
  cancelRequestedAt: job.cancelAskedAt,
})

const storedRow = (job: JobSummary): unknown => ({
  id: job.id,
  status: job.status,
  attempts: job.attempts,
  crashes: job.crashes,
  version: job.version,
  runAt: job.runAt,
  error: job.error,
  lockedBy: job.lockedBy,
  claimRequestId: job.claimRequestId,
  leaseUntil: job.leaseUntil,
  leaseMs: job.leaseMs,
  startedAt: job.startedAt,
  finishedAt: job.finishedAt,
  cancelRequestedAt: job.cancelRequestedAt,
})

/** An outcome in the form of the model: claims by id, version and attempt, in order. */
function asExpected(op: Op | undefined, outcome: Outcome): Expected {
  if (!outcome.ok) return { code: outcome.error.code }
  if (op?.kind !== 'claim') return { value: outcome.value }
  const { jobs } = outcome.value as { jobs: readonly { id: string; version: number; attempts: number }[] }
  return { value: jobs.map(({ id, version, attempts }) => ({ id, version, attempts })) }
}

/** Random sequences of commits, compared with the model after every one. A failure prints its seed and shrinks. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Op, Outcome } from '../../../../server/store/ops.ts'
import type { JobSummary } from '../../../../shared/job.ts'
import { emptyCounts, type StatusCounts } from '../../../../shared/status.ts'
import type { StoreHarness } from '../../harness.ts'
import { admitBlocked, promote } from '../fixtures.ts'
import { Kit } from '../kit.ts'
import { declareGroups, groupOperation, groupSteps } from './group-operations.ts'
import { Model } from './model.ts'
import { MODEL_DEFAULTS, type ModelJob } from './model-job.ts'
import type { Expected } from './model-jobs.ts'
import { jobOperation, jobSteps } from './model-operations.ts'
import type { Choice, Step } from './steps.ts'

interface Subject<Verb extends string> {
  readonly name: string
  readonly runs: number
  readonly steps: fc.Arbitrary<readonly Step<Verb>[]>
  /** `alone`: the commit has no other operation. */
  readonly operation: (choice: Choice<Verb>, model: Model, ids: readonly string[], alone: boolean) => Op
  readonly begin?: (kit: Kit, model: Model) => Promise<void>
}

export function describeModel(harness: StoreHarness, runs: number): void {
  describeSubject(harness, { name: 'jobs', runs, steps: jobSteps, operation: jobOperation })
}

export function describeGroupModel(harness: StoreHarness, runs: number): void {
  const keys = { steps: groupSteps, operation: groupOperation, begin: declareGroups }
  describeSubject(harness, { name: 'keys of groups', runs, ...keys })
}

function describeSubject<Verb extends string>(harness: StoreHarness, subject: Subject<Verb>): void {
  const { name, runs } = subject
  // On a busy machine 30 sequences on PostgreSQL take 80 s.
  const limitMs = 60_000 + runs * 4_000
  describe('the store and its model', () => {
    it(
      `the store and its model agree on ${name} after every commit of ${runs} random sequences`,
      async () => {
        await fc.assert(
          fc.asyncProperty(subject.steps, async (steps) => {
            try {
              await follow(await Kit.open(harness, MODEL_DEFAULTS), steps, subject)
            } finally {
              await harness.cleanup()
            }
          }),
          // Time for the runs and for shrinking a failure. The seed is printed in any case.
          {
            numRuns: runs,
            interruptAfterTimeLimit: limitMs,
            markInterruptAsFailure: true,
          },
        )
      },
      limitMs + 30_000,
    )
  })
}

async function follow<Verb extends string>(
  kit: Kit,
  steps: readonly Step<Verb>[],
  { begin, operation }: Subject<Verb>,
): Promise<void> {
  const model = new Model()
  const other = await kit.another()
  const ids: string[] = []
  await begin?.(kit, model)
  for (const step of steps) {
    await kit.advance(step.ms)
    const ops = step.choices.map((choice) => operation(choice, model, ids, step.choices.length === 1))
    const expected = model.commit(ops, kit.clock.now(), step.other ? 'other' : 'first')
    const connection = step.other ? other : kit
    const outcomes = await connection.outcomes(...ops)
    expect(outcomes.map((outcome, index) => asExpected(ops[index], outcome))).toEqual(expected)
    for (const op of ops) if (op.kind === 'enqueue') ids.push(...op.jobs.map(({ id }) => id))
    if (ops.some(({ kind }) => kind === 'updateGroup')) await admit(connection, model)
    await compareJobs(kit, model, ids)
    expect(await kit.store.nextDue()).toEqual(model.nextDue())
  }
}

/** As the engine does after a change of rules. Keys that are due belong to the promotion, on which both stores agree. */
async function admit(connection: Kit, model: Model): Promise<void> {
  while ((await connection.run(promote)).more);
  while ((await connection.run(admitBlocked)).more);
  model.commit([promote, admitBlocked], connection.clock.now(), '')
}

/** Every job, and the counts. */
export async function compareJobs(kit: Kit, model: Model, ids: readonly string[]): Promise<void> {
  const stored = await kit.store.getMany(ids)
  expect(stored.toSorted((a, b) => a.seq - b.seq).map(storedRow)).toEqual(model.jobs.map(modelRow))
  const counts = new Map<string, StatusCounts>()
  for (const { input, status } of model.jobs) {
    const ofType = counts.get(input.type) ?? emptyCounts()
    counts.set(input.type, { ...ofType, [status]: ofType[status] + 1 })
  }
  expect(await kit.counts()).toEqual(counts)
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

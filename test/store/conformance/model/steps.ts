/** Random commits, and the jobs and claims that their operations are about. */
import fc from 'fast-check'
import type { Lease } from '../../../../server/store/ops.ts'
import type { Model } from './model.ts'

const MAX_COMMITS = 40
const UNKNOWN = '018f6f0e-dead-7000-8000-000000000000'

export interface Choice<Verb extends string> {
  readonly verb: Verb
  readonly pick: number
  readonly roll: number
}

/** The operations of a commit, the pause before it, and one of two connections. */
export interface Step<Verb extends string> {
  readonly choices: readonly Choice<Verb>[]
  readonly ms: number
  readonly other: boolean
}

/** A verb or a pause that is listed more often is more likely. */
export function stepsOf<Verb extends string>(
  verbs: readonly Verb[],
  pauses: readonly number[],
): fc.Arbitrary<readonly Step<Verb>[]> {
  // Without fast-check's bias towards small numbers, which would pick the same few jobs again and again.
  const number = fc.noBias(fc.nat(9_999))
  const choice: fc.Arbitrary<Choice<Verb>> = fc.record({ verb: fc.constantFrom(...verbs), pick: number, roll: number })
  return fc.array(
    fc.record({
      choices: fc.oneof(
        { weight: 3, arbitrary: fc.array(choice, { minLength: 1, maxLength: 1 }) },
        { weight: 1, arbitrary: fc.array(choice, { minLength: 2, maxLength: 5, size: 'max' }) },
      ),
      ms: fc.constantFrom(...pauses),
      other: fc.boolean(),
    }),
    { minLength: 1, maxLength: MAX_COMMITS, size: 'max' },
  )
}

/** Mostly of a job that exists, sometimes of a removed one. */
export function someId(pick: number, roll: number, model: Model, ids: readonly string[]): string {
  return (roll % 25 > 0 ? model.jobs[pick % model.jobs.length]?.input.id : ids[pick % ids.length]) ?? UNKNOWN
}

/** Mostly a claim that is current, sometimes an earlier one or one that has ended. */
export function someLease(pick: number, roll: number, model: Model): Lease | undefined {
  const held = model.jobs.filter((job) => job.status === 'processing')
  const current = held[pick % held.length]
  if (current && roll % 4 > 0) return { id: current.input.id, version: current.version }
  const claimed = model.jobs.filter((job) => job.version > 0)
  const any = claimed[pick % claimed.length]
  return any && { id: any.input.id, version: 1 + (pick % any.version) }
}

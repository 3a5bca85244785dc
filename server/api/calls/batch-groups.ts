/** Divides the operations of a batch into groups that run one after another. */
import { isObject } from '../../../shared/json/is-object.ts'
import { limits } from '../../../shared/limits.ts'
import { isVerb, VERBS } from '../../../shared/verbs/verbs.ts'

/** Reads that run at the same time. Few, because each one may use a database connection and return megabytes. */
export const READS_AT_ONCE = 4

export interface GivenOperation {
  readonly verb: string
  readonly input?: unknown
}

export interface PlacedOperation extends GivenOperation {
  /** Its place in the batch. */
  readonly index: number
}

export interface OperationGroup {
  readonly isRead: boolean
  readonly ops: readonly PlacedOperation[]
}

/**
 * All writes are in the first group, which becomes one transaction, with claims of as many jobs as one claim may take. Further claims
 * follow in groups of the same size, so that the payloads of a batch stay bounded; then the reads.
 */
export function groupOperations(ops: readonly GivenOperation[]): readonly OperationGroup[] {
  const first: PlacedOperation[] = []
  const writes = [first]
  const reads: PlacedOperation[] = []
  let claiming = first
  let claimed = 0
  for (const [index, one] of ops.entries()) {
    const placed = { ...one, index }
    const jobs = claimLimit(one)
    if (isVerb(one.verb) && VERBS[one.verb].type === 'query') reads.push(placed)
    else if (jobs === 0) first.push(placed)
    else {
      claimed += jobs
      if (claimed > limits.claim) {
        claimed = jobs
        claiming = []
        writes.push(claiming)
      }
      claiming.push(placed)
    }
  }
  return [
    ...writes.filter(({ length }) => length > 0).map((group) => ({ isRead: false, ops: group })),
    ...inGroups(reads).map((group) => ({ isRead: true, ops: group })),
  ]
}

function inGroups(reads: readonly PlacedOperation[]): readonly (readonly PlacedOperation[])[] {
  const count = Math.ceil(reads.length / READS_AT_ONCE)
  return Array.from({ length: count }, (_, at) => reads.slice(at * READS_AT_ONCE, (at + 1) * READS_AT_ONCE))
}

/** The number of jobs that an operation may claim. Its input was not checked yet: a wrong limit is refused later. */
function claimLimit({ verb, input }: GivenOperation): number {
  if (verb === 'exchange') return isObject(input) && isObject(input.claim) ? limitOf(input.claim) : 0
  return verb === 'claim' ? limitOf(input) : 0
}

function limitOf(input: unknown): number {
  const limit = isObject(input) ? input.limit : undefined
  return typeof limit === 'number' && limit > 0 && limit <= limits.claim ? limit : 1
}

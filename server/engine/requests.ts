/** Claims by request id that are being answered: a repeat may already hold what the first asker can no longer take. */
import type { ClaimedRow, OpOf } from '../store/ops.ts'
import type { GroupCommit } from './group-commit.ts'

const nothing = () => {}

export class RequestsInFlight {
  private readonly asking = new Map<string, number>()

  /** Call the result when the answer is out. */
  begin(requestId: string | null): () => void {
    if (requestId === null) return nothing
    this.asking.set(requestId, (this.asking.get(requestId) ?? 0) + 1)
    return () => {
      const left = (this.asking.get(requestId) ?? 1) - 1
      if (left > 0) this.asking.set(requestId, left)
      else this.asking.delete(requestId)
    }
  }

  isRepeated(requestId: string | null): boolean {
    return requestId !== null && (this.asking.get(requestId) ?? 0) > 1
  }
}

/** Claimed for someone who is gone: back into the line, the attempt not counted, unless the same request was sent again. */
export function createGiveBack(commits: GroupCommit, requests: RequestsInFlight) {
  return (op: OpOf<'claim'>, jobs: readonly ClaimedRow[]): void => {
    if (jobs.length === 0 || requests.isRepeated(op.requestId)) return
    // If even this cannot be written, the lease ends by itself and the job is rescued.
    commits.add({ ops: releases(jobs), resolve: nothing, reject: nothing }, true)
  }
}

export function releases(jobs: readonly ClaimedRow[]): OpOf<'release'>[] {
  return jobs.map(({ id, version }) => ({ kind: 'release', id, version, delayMs: 0 }))
}

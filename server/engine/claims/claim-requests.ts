/** Claims by request id that are being answered: a repeat may already hold what the first asker can no longer take. */
import type { ClaimedRow, OpOf } from '../../store/ops.ts'
import type { GroupCommit } from '../commit/group-commit.ts'

const nothing = () => {}

type ClaimOp = OpOf<'claim'>

export class RequestsInFlight {
  private readonly byId = new Map<string, Set<ClaimOp>>()

  /** Call the result when the response is decided. */
  begin(op: ClaimOp | null): () => void {
    if (op === null || op.requestId === null) return nothing
    const { requestId } = op
    const ops = this.byId.get(requestId) ?? new Set()
    this.byId.set(requestId, ops.add(op))
    return () => {
      ops.delete(op)
      if (ops.size === 0 && this.byId.get(requestId) === ops) this.byId.delete(requestId)
    }
  }

  /** Another call with the same request id is under way, whether or not this one still is. */
  isRepeated(op: ClaimOp): boolean {
    const ops = op.requestId === null ? undefined : this.byId.get(op.requestId)
    return ops !== undefined && ops.size > (ops.has(op) ? 1 : 0)
  }
}

/** Claimed for someone who is gone: back into the line, the attempt not counted, unless the same request was sent again. */
export function createGiveBack(commits: GroupCommit, requests: RequestsInFlight) {
  return (op: ClaimOp, jobs: readonly ClaimedRow[]): void => {
    if (jobs.length === 0 || requests.isRepeated(op)) return
    // If even this cannot be written, the lease ends by itself and the job is rescued.
    commits.add({ ops: releases(jobs), resolve: nothing, reject: nothing }, true)
  }
}

export function releases(jobs: readonly ClaimedRow[]): OpOf<'release'>[] {
  return jobs.map(({ id, version }) => ({ kind: 'release', id, version, delayMs: 0 }))
}

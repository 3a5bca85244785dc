/** Claims in flight by request id, and the release of jobs whose caller is gone. */
import type { ClaimedRow, OpOf } from '../../store/ops.ts'
import type { GroupCommit } from '../commit/group-commit.ts'

const noop = () => {}

type ClaimOp = OpOf<'claim'>

export class RequestsInFlight {
  private readonly byId = new Map<string, Set<ClaimOp>>()

  /** Returns a function to call when the claim has its result. */
  begin(op: ClaimOp | null): () => void {
    if (op === null || op.requestId === null) return noop
    const { requestId } = op
    const ops = this.byId.get(requestId) ?? new Set()
    this.byId.set(requestId, ops.add(op))
    return () => {
      ops.delete(op)
      if (ops.size === 0 && this.byId.get(requestId) === ops) this.byId.delete(requestId)
    }
  }

  /** True when another call with the same request id is in flight: it gets the same jobs. */
  isRepeated(op: ClaimOp): boolean {
    const ops = op.requestId === null ? undefined : this.byId.get(op.requestId)
    return ops !== undefined && ops.size > (ops.has(op) ? 1 : 0)
  }
}

/** Releases jobs whose caller is gone, without counting the attempt, unless the same request was repeated. */
export function createRelease(commits: GroupCommit, requests: RequestsInFlight) {
  return (op: ClaimOp, jobs: readonly ClaimedRow[]): void => {
    if (jobs.length === 0 || requests.isRepeated(op)) return
    // If this write fails too, the lease expires and the rescuer takes the job back.
    commits.add({ ops: releases(jobs), resolve: noop, reject: noop }, true)
  }
}

export function releases(jobs: readonly ClaimedRow[]): OpOf<'release'>[] {
  return jobs.map(({ id, version }) => ({ kind: 'release', id, version, delayMs: 0 }))
}

/** Cache of this connection's claims, so that completing a job needs no lookup. */
import type { JobGroup } from '../../decisions/group-of-job.ts'
import { columnsOf, type RowOf } from '../../rows/tables.ts'

export const HELD_CLAIM = columnsOf('jobs', [
  ...(['seq', 'type', 'version', 'startedAt', 'lockedBy', 'runAt', 'groupName', 'groupKey', 'tick'] as const),
])
export type HeldClaimRow = RowOf<typeof HELD_CLAIM>

/** One claim of one job. It never changes, so it needs no invalidation. */
export interface HeldClaim {
  readonly seq: number
  readonly type: string
  readonly version: number
  readonly startedAt: number
  readonly worker: string | null
  readonly runAt: number
  /** null: the job has no group. */
  readonly group: JobGroup | null
  /** A JobTick as JSON. */
  readonly tick: string | null
}

/** A claim that is never settled leaves its entry behind. The oldest entries are evicted first. */
const MAX_CLAIMS = 20_000

export class HeldClaims {
  private readonly byId = new Map<string, HeldClaim>()

  remember(id: string, claim: HeldClaim): void {
    this.byId.set(id, claim)
    if (this.byId.size <= MAX_CLAIMS) return
    for (const oldest of this.byId.keys()) {
      this.byId.delete(oldest)
      return
    }
  }

  /** Removes and returns the claim with this version, if it was made on this connection. */
  take(id: string, version: number): HeldClaim | undefined {
    const claim = this.byId.get(id)
    if (claim?.version !== version) return undefined
    this.byId.delete(id)
    return claim
  }

  clear(): void {
    this.byId.clear()
  }
}

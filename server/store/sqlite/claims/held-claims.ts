/** Remembers what this connection's claims were about, so that completing one need not look it up again. */

/** Facts of one claim of one job: none of them ever changes, so there is nothing to invalidate. */
export interface HeldClaim {
  readonly seq: number
  readonly type: string
  readonly version: number
  readonly startedAt: number
  readonly worker: string
}

/** A worker that never answers leaves its entry behind; the oldest go first. */
const MAX_REMEMBERED = 20_000

export class HeldClaims {
  private readonly byId = new Map<string, HeldClaim>()

  remember(id: string, claim: HeldClaim): void {
    this.byId.set(id, claim)
    if (this.byId.size <= MAX_REMEMBERED) return
    for (const oldest of this.byId.keys()) {
      this.byId.delete(oldest)
      return
    }
  }

  /** The claim with this version, if it was handed out here and not asked for before. */
  take(id: string, version: number): HeldClaim | undefined {
    const claim = this.byId.get(id)
    if (claim?.version !== version) return undefined
    this.byId.delete(id)
    return claim
  }
}

/** Cache of large payloads: most jobs are claimed soon, and their payload then needs no read. */

const MIN_LENGTH = 4_096
const MAX_TOTAL_LENGTH = 32 * 1024 * 1024

/** By job id. Ids are unique and payloads never change, so entries need no invalidation. */
export class RecentPayloads {
  private readonly byId = new Map<string, string>()
  private total = 0

  remember(id: string, payload: string): void {
    if (payload.length <= MIN_LENGTH || payload.length > MAX_TOTAL_LENGTH) return
    this.byId.set(id, payload)
    this.total += payload.length
    for (const [oldest, { length }] of this.byId) {
      if (this.total <= MAX_TOTAL_LENGTH) return
      this.byId.delete(oldest)
      this.total -= length
    }
  }

  /** Removes and returns the payload. A second claim of the job reads it from the database. */
  take(id: string): string | undefined {
    const payload = this.byId.get(id)
    if (payload === undefined) return undefined
    this.byId.delete(id)
    this.total -= payload.length
    return payload
  }
}

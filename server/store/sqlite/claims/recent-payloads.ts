/** Large payloads that came in lately: most are claimed soon, and then need not be read from the disk format again. */

const MIN_LENGTH = 4_096
const MAX_TOTAL_LENGTH = 32 * 1024 * 1024

/** By job id, which is never used twice: a payload does not change, so an entry is right or not there. */
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

  /** Given out once: whoever claims the job again reads it from the database. */
  take(id: string): string | undefined {
    const payload = this.byId.get(id)
    if (payload === undefined) return undefined
    this.byId.delete(id)
    this.total -= payload.length
    return payload
  }
}

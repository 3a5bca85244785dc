/**
 * Which busy process is next to run which job with crashes. It gets no further jobs and so becomes idle; without this a worker
 * that always has a job would never take such a job. In memory only: after a restart the next claim reserves again.
 */
import { limits, MINUTE, SECOND } from '../../shared/limits.ts'

/** A worker that waits for work claims again within the longest wait; one that does not has gone, or stopped. */
const SILENT_MS = limits.waitMs + 10 * SECOND

/**
 * How long a process is kept from other jobs at first. If a long job keeps it from becoming idle, it works as usual for as
 * long again, then the time doubles: no job waits for ever, and other jobs lose at most half of the time.
 */
const FIRST_DRAIN_MS = MINUTE

export interface Reserved {
  readonly seq: number
  readonly type: string
}

interface Reservation {
  /** null: it works as usual until `until`. */
  job: Reserved | null
  /** When a claim of the process that could take the job last came. */
  claimedAt: number
  until: number
  drainMs: number
}

export class Reservations {
  private readonly byHolder = new Map<string, Reservation>()

  /** The job that this process is kept idle for, if there is one. */
  of(holder: string, now: number): Reserved | null {
    return this.current(holder, now)?.job ?? null
  }

  isReserved(seq: number, now: number): boolean {
    for (const holder of this.byHolder.keys()) if (this.of(holder, now)?.seq === seq) return true
    return false
  }

  /** false: it was kept from other jobs just now, in vain, and works as usual for a while. */
  add(holder: string, job: Reserved, now: number): boolean {
    for (const one of this.byHolder.keys()) this.current(one, now)
    const found = this.byHolder.get(holder)
    if (found && found.job === null && now < found.until) return false
    const drainMs = found?.drainMs ?? FIRST_DRAIN_MS
    this.byHolder.set(holder, { job, claimedAt: now, until: now + drainMs, drainMs })
    return true
  }

  claimed(holder: string, now: number): void {
    const found = this.byHolder.get(holder)
    if (found) found.claimedAt = now
  }

  end(holder: string): void {
    this.byHolder.delete(holder)
  }

  /** The job was handed out, to this process or another. */
  taken(seq: number): void {
    for (const [holder, reservation] of this.byHolder) if (reservation.job?.seq === seq) this.byHolder.delete(holder)
  }

  private current(holder: string, now: number): Reservation | undefined {
    const found = this.byHolder.get(holder)
    if (!found) return undefined
    const { job, claimedAt, until, drainMs } = found
    // The clock may have been set back: then nothing said before means anything.
    const isStale = now < claimedAt - SILENT_MS || now - (job === null ? until : claimedAt) > SILENT_MS
    if (isStale) {
      this.byHolder.delete(holder)
      return undefined
    }
    if (job !== null && now >= until) {
      Object.assign(found, { job: null, until: now + drainMs, drainMs: drainMs * 2 })
    }
    return found
  }
}

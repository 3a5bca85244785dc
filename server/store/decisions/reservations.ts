/**
 * Reservations of jobs with crashes by busy processes: the process gets no further jobs until it is idle and takes the reserved one.
 * Without them a worker that always has a job would never take such a job. In memory: after a restart the next claim reserves again.
 */
import { limits, MINUTE, SECOND } from '../../../shared/limits.ts'

/** A waiting worker claims again within the longest wait. After this time without a claim it is considered gone. */
const SILENT_MS = limits.waitMs + 10 * SECOND

/**
 * How long a process gets no other jobs at first. If a long job keeps it busy, it works as usual for the same time, then the time
 * doubles: the reserved job is not delayed for ever, and other jobs lose at most half of the time.
 */
const FIRST_DRAIN_MS = MINUTE

export interface Reserved {
  readonly seq: number
  readonly type: string
}

interface Reservation {
  /** null: the process works as usual until `until`. */
  job: Reserved | null
  /** The last claim of the process that could take the job. */
  claimedAt: number
  until: number
  drainMs: number
}

export class Reservations {
  private readonly byHolder = new Map<string, Reservation>()

  /** The job that is reserved for this process. */
  of(holder: string, now: number): Reserved | null {
    return this.current(holder, now)?.job ?? null
  }

  isReserved(seq: number, now: number): boolean {
    for (const holder of this.byHolder.keys()) if (this.of(holder, now)?.seq === seq) return true
    return false
  }

  /** false: an earlier reservation of this process timed out, and it works as usual for a while. */
  add(holder: string, job: Reserved, now: number): boolean {
    for (const known of this.byHolder.keys()) this.current(known, now)
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

  /** The job was claimed, by this process or another. */
  taken(seq: number): void {
    for (const [holder, reservation] of this.byHolder) if (reservation.job?.seq === seq) this.byHolder.delete(holder)
  }

  private current(holder: string, now: number): Reservation | undefined {
    const found = this.byHolder.get(holder)
    if (!found) return undefined
    const { job, claimedAt, until, drainMs } = found
    // The clock may have been set back, which makes all earlier instants useless.
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

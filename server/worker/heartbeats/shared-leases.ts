/**
 * Held leases in memory that a worker shares with its heartbeat thread. The thread reads them when it sends a heartbeat, so a job that
 * ends before costs no message. Two messages per job took a third of the CPU time of a worker with 50 slots and empty handlers.
 */
import {
  LeaseRows,
  type LeaseState,
  markOf,
  ROWS,
  type RowContent,
  type RowLease,
  type RowTimeout,
  stateOf,
} from './lease-rows.ts'
import { type Lease, leaseKey } from './lease-set.ts'

export type { HeldLease, RowTimeout } from './lease-rows.ts'

const NO_TIMEOUT: RowTimeout = { timeoutMs: 0, failAt: 0 }

interface Row extends RowLease {
  readonly row: number
  confirmedAt: number
  /** The mark while the other side has not changed it. */
  mark: number
}

/** The worker's side. The thread only changes the state of waiting leases. */
export class SharedLeases {
  readonly buffer = LeaseRows.buffer()
  private readonly rows = new LeaseRows(this.buffer)
  /** By job id, because building a key from id and version took 2 % of a short job. */
  private readonly held = new Map<string, Row>()
  /** Further versions of jobs in `held`, by version and id. */
  private readonly others = new Map<string, Row>()
  private readonly free = Array.from({ length: ROWS }, (_, index) => ROWS - 1 - index)
  private generation = 0

  /** Returns false when the lease does not fit: the table is full, or the id is longer than 40 characters or not ASCII. */
  hold({ id, version }: Lease, confirmedAt: number, { timeoutMs, failAt } = NO_TIMEOUT): boolean {
    return this.add({ id, version, confirmedAt, waitingSince: 0, timeoutMs, failAt }, 'started')
  }

  /** Holds the lease of a job that was claimed in advance, until `take`. */
  wait({ id, version }: Lease, confirmedAt: number, waitingSince: number): boolean {
    return this.add({ id, version, confirmedAt, waitingSince, ...NO_TIMEOUT }, 'waiting')
  }

  /** Takes a waiting lease over for the start of its job. False: the thread releases it, or it is not held. */
  take(lease: Lease): boolean {
    const held = this.find(lease)
    if (!held || stateOf(held.mark) !== 'waiting') return false
    const mark = this.rows.change(held.row, held.mark, 'started')
    if (mark === null) return false
    held.mark = mark
    return true
  }

  /** Returns false for a lease that is not in this table. */
  drop(lease: Lease): boolean {
    const held = this.find(lease)
    if (!held) return false
    this.forget(held)
    this.rows.clear(held.row)
    this.free.push(held.row)
    return true
  }

  /** Kept on this side alone: the thread knows what it has confirmed. */
  confirm(lease: Lease, at: number): void {
    const held = this.find(lease)
    if (held && held.confirmedAt < at) held.confirmedAt = at
  }

  /** For a new thread, before it reads. */
  writeConfirmations(): void {
    for (const held of this.values()) this.rows.write(held.row, held)
  }

  values(): readonly Row[] {
    return [...this.held.values(), ...this.others.values()]
  }

  private find(lease: Lease): Row | undefined {
    const held = this.held.get(lease.id)
    if (held?.version === lease.version) return held
    return this.others.size === 0 ? undefined : this.others.get(leaseKey(lease))
  }

  private forget(held: Row): void {
    if (this.held.get(held.id) === held) this.held.delete(held.id)
    else this.others.delete(leaseKey(held))
  }

  private add(lease: RowLease, state: LeaseState): boolean {
    const earlier = this.find(lease)
    if (earlier) this.forget(earlier)
    const row = earlier?.row ?? this.free.pop()
    if (row === undefined) return false
    this.rows.clear(row)
    if (!this.rows.write(row, lease)) {
      this.free.push(row)
      return false
    }
    this.generation += 1
    const mark = markOf(this.generation, state)
    this.rows.publish(row, mark)
    const { id, version, confirmedAt, waitingSince, timeoutMs, failAt } = lease
    const held = { id, version, confirmedAt, waitingSince, timeoutMs, failAt, row, mark }
    if (this.held.has(id)) this.others.set(leaseKey(held), held)
    else this.held.set(id, held)
    return true
  }
}

/** The thread's side: the leases that heartbeats extend. */
export function readSharedLeases(buffer: SharedArrayBuffer): readonly RowContent[] {
  const rows = new LeaseRows(buffer)
  const leases: RowContent[] = []
  for (let row = 0; row < ROWS; row++) {
    const content = rows.read(row)
    if (content && stateOf(content.mark) !== 'released') leases.push(content)
  }
  return leases
}

/** The thread's side: the attempts with a timeout. */
export function readTimeouts(buffer: SharedArrayBuffer): readonly RowContent[] {
  return readSharedLeases(buffer).filter(({ timeoutMs }) => timeoutMs > 0)
}

/** The thread's side: marks leases that have waited since `until` or longer as released, and returns all with that mark. */
export function releaseWaiting(buffer: SharedArrayBuffer, until: number): readonly RowContent[] {
  const rows = new LeaseRows(buffer)
  const released: RowContent[] = []
  for (let row = 0; row < ROWS; row++) {
    if (stateOf(rows.mark(row)) === 'started') continue
    const content = rows.read(row)
    if (!content) continue
    const state = stateOf(content.mark)
    if (state === 'released') released.push(content)
    else if (state === 'waiting' && content.waitingSince <= until) {
      const mark = rows.change(row, content.mark, 'released')
      if (mark !== null) released.push({ ...content, mark })
    }
  }
  return released
}

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
  /** The mark while the other side has not changed it. */
  readonly mark: number
}

/** The worker's side. The thread only changes the state of waiting leases. */
export class SharedLeases {
  readonly buffer = LeaseRows.buffer()
  private readonly rows = new LeaseRows(this.buffer)
  private readonly held = new Map<string, Row>()
  private readonly free = Array.from({ length: ROWS }, (_, index) => ROWS - 1 - index)
  private generation = 0

  /** Returns false when the lease does not fit: the table is full, or the id is longer than 40 characters or not ASCII. */
  hold(lease: Lease, confirmedAt: number, { timeoutMs, failAt } = NO_TIMEOUT): boolean {
    const { id, version } = lease
    return this.add({ id, version, confirmedAt, waitingSince: 0, timeoutMs, failAt }, 'started')
  }

  /** Holds the lease of a job that was claimed in advance, until `take`. */
  wait(lease: Lease, confirmedAt: number, waitingSince: number): boolean {
    const { id, version } = lease
    return this.add({ id, version, confirmedAt, waitingSince, ...NO_TIMEOUT }, 'waiting')
  }

  /** Takes a waiting lease over for the start of its job. False: the thread releases it, or it is not held. */
  take(lease: Lease): boolean {
    const key = leaseKey(lease)
    const held = this.held.get(key)
    if (!held || stateOf(held.mark) !== 'waiting') return false
    const mark = this.rows.change(held.row, held.mark, 'started')
    if (mark === null) return false
    this.held.set(key, { ...held, mark })
    return true
  }

  /** Returns false for a lease that is not in this table. */
  drop(lease: Lease): boolean {
    const key = leaseKey(lease)
    const held = this.held.get(key)
    if (!held) return false
    this.held.delete(key)
    this.rows.clear(held.row)
    this.free.push(held.row)
    return true
  }

  /** Kept on this side alone: the thread knows what it has confirmed. */
  confirm(lease: Lease, at: number): void {
    const key = leaseKey(lease)
    const held = this.held.get(key)
    if (held && held.confirmedAt < at) this.held.set(key, { ...held, confirmedAt: at })
  }

  /** For a new thread, before it reads. */
  writeConfirmations(): void {
    for (const held of this.held.values()) this.rows.write(held.row, held)
  }

  values(): readonly RowLease[] {
    return [...this.held.values()]
  }

  private add(lease: RowLease, state: LeaseState): boolean {
    const key = leaseKey(lease)
    const row = this.held.get(key)?.row ?? this.free.pop()
    if (row === undefined) return false
    this.rows.clear(row)
    if (!this.rows.write(row, lease)) {
      this.held.delete(key)
      this.free.push(row)
      return false
    }
    this.generation += 1
    const mark = markOf(this.generation, state)
    this.rows.publish(row, mark)
    this.held.set(key, { ...lease, row, mark })
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

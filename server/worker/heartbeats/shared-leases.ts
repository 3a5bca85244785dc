/**
 * Held leases in memory that a worker shares with its heartbeat thread. The thread reads them when it sends a heartbeat, so a job that
 * ends before costs no message. Two messages per job took a third of the CPU time of a worker with 50 slots and empty handlers.
 */
import { type Lease, leaseKey } from './lease-set.ts'

/** Leases beyond this number are sent to the thread as messages. */
const ROWS = 1_024
/** A row: generation and id length (int32), version and confirmedAt (float64), id (ASCII). */
const ROW_BYTES = 64
const ID_OFFSET = 24
const MAX_ID_LENGTH = ROW_BYTES - ID_OFFSET
/** A row may change while it is read. */
const MAX_READS = 3

export interface HeldLease extends Lease {
  /** Monotonic time of the last confirmed claim or heartbeat. */
  readonly confirmedAt: number
}

interface Row extends HeldLease {
  readonly row: number
}

/** The worker's side. Only this side writes. */
export class SharedLeases {
  readonly buffer = new SharedArrayBuffer(ROWS * ROW_BYTES)
  private readonly view = new View(this.buffer)
  private readonly held = new Map<string, Row>()
  private readonly free = Array.from({ length: ROWS }, (_, index) => ROWS - 1 - index)
  private generation = 0

  /** Returns false when the lease does not fit: the table is full, or the id is longer than 40 characters or not ASCII. */
  hold({ id, version }: Lease, confirmedAt: number): boolean {
    const key = leaseKey({ id, version })
    const row = this.held.get(key)?.row ?? this.free.pop()
    if (row === undefined) return false
    this.view.clear(row)
    if (!this.view.write(row, { id, version, confirmedAt })) {
      this.free.push(row)
      return false
    }
    this.generation = (this.generation % 0x7fff_ffff) + 1
    this.view.publish(row, this.generation)
    this.held.set(key, { id, version, confirmedAt, row })
    return true
  }

  /** Returns false for a lease that is not in this table. */
  drop(lease: Lease): boolean {
    const key = leaseKey(lease)
    const held = this.held.get(key)
    if (!held) return false
    this.held.delete(key)
    this.view.clear(held.row)
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
    for (const held of this.held.values()) this.view.write(held.row, held)
  }

  values(): readonly HeldLease[] {
    return [...this.held.values()]
  }
}

/** The thread's side. */
export function readSharedLeases(buffer: SharedArrayBuffer): readonly HeldLease[] {
  const view = new View(buffer)
  const leases: HeldLease[] = []
  for (let row = 0; row < ROWS; row++) {
    const lease = view.read(row)
    if (lease) leases.push(lease)
  }
  return leases
}

class View {
  private readonly integers: Int32Array
  private readonly floats: Float64Array
  private readonly bytes: Uint8Array

  constructor(buffer: SharedArrayBuffer) {
    this.integers = new Int32Array(buffer)
    this.floats = new Float64Array(buffer)
    this.bytes = new Uint8Array(buffer)
  }

  clear(row: number): void {
    Atomics.store(this.integers, generationAt(row), 0)
  }

  publish(row: number, generation: number): void {
    Atomics.store(this.integers, generationAt(row), generation)
  }

  /** Returns false if the id does not fit. */
  write(row: number, { id, version, confirmedAt }: HeldLease): boolean {
    if (id.length > MAX_ID_LENGTH) return false
    const start = row * ROW_BYTES + ID_OFFSET
    for (let index = 0; index < id.length; index++) {
      const code = id.charCodeAt(index)
      if (code > 0x7f) return false
      this.bytes[start + index] = code
    }
    this.integers[generationAt(row) + 1] = id.length
    this.floats[floatsAt(row)] = version
    this.floats[floatsAt(row) + 1] = confirmedAt
    return true
  }

  /**
   * Null for an empty row, and for one that changed during every read: the next heartbeat reads it again. The generation before and
   * after shows whether the row changed meanwhile.
   */
  read(row: number): HeldLease | null {
    for (let reads = 0; reads < MAX_READS; reads++) {
      const generation = Atomics.load(this.integers, generationAt(row))
      if (generation === 0) return null
      const lease = this.copy(row)
      if (Atomics.load(this.integers, generationAt(row)) === generation) return lease
    }
    return null
  }

  private copy(row: number): HeldLease {
    const start = row * ROW_BYTES + ID_OFFSET
    const length = this.integers[generationAt(row) + 1] ?? 0
    const version = this.floats[floatsAt(row)] ?? 0
    const confirmedAt = this.floats[floatsAt(row) + 1] ?? 0
    return { id: String.fromCharCode(...this.bytes.slice(start, start + length)), version, confirmedAt }
  }
}

const generationAt = (row: number) => (row * ROW_BYTES) / Int32Array.BYTES_PER_ELEMENT
const floatsAt = (row: number) => (row * ROW_BYTES) / Float64Array.BYTES_PER_ELEMENT + 1

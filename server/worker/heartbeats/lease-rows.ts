/** Memory layout of shared leases: rows of atomic words, with the state of each lease in the first one. */
import type { Lease } from './lease-set.ts'

/** Leases beyond this number are sent to the thread as messages. */
export const ROWS = 1_024
/** A row of 32-bit words: mark, id length, then the five numbers of `RowLease` (64 bits each), id (ASCII). */
const ROW_WORDS = 22
const FLOATS_OFFSET = 2
const ID_OFFSET = 12
const MAX_ID_LENGTH = (ROW_WORDS - ID_OFFSET) * Int32Array.BYTES_PER_ELEMENT
/** A row may change while it is read. */
const MAX_READS = 3
const BYTE_BITS = 8
const BYTE_MASK = 0xff
const MAX_ASCII = 0x7f

/** `waiting`: claimed in advance. `released`: waited too long; the heartbeat thread releases it. */
export type LeaseState = 'started' | 'waiting' | 'released'
const STATES: readonly LeaseState[] = ['started', 'waiting', 'released']
const STATE_BITS = 2
const STATE_MASK = 0b11
const MAX_GENERATION = 2 ** (31 - STATE_BITS) - 1

export interface HeldLease extends Lease {
  /** Monotonic time of the last confirmed claim or heartbeat. */
  readonly confirmedAt: number
}

/** When an attempt fails by its timeout. Both are 0 for an attempt without one. */
export interface RowTimeout {
  readonly timeoutMs: number
  /** Monotonic time at which the heartbeat thread fails the attempt if it is still held. */
  readonly failAt: number
}

/** `waitingSince`: monotonic time, for a lease that was held as waiting. */
export interface RowLease extends HeldLease, RowTimeout {
  readonly waitingSince: number
}

/** What a row contains. */
export interface RowContent extends RowLease {
  /** Changes with each lease of the row and with its state. 0: the row is empty. */
  readonly mark: number
}

/**
 * All words are read and written by atomic operations, which no processor reorders: plain writes of a row could become visible after
 * the mark that announces them.
 */
export class LeaseRows {
  private readonly words: Int32Array
  private readonly float = new Float64Array(1)
  private readonly halves = new Int32Array(this.float.buffer)

  constructor(buffer: SharedArrayBuffer) {
    this.words = new Int32Array(buffer)
  }

  static buffer(): SharedArrayBuffer {
    return new SharedArrayBuffer(ROWS * ROW_WORDS * Int32Array.BYTES_PER_ELEMENT)
  }

  /** Must be called before a row is written. */
  clear(row: number): void {
    Atomics.store(this.words, row * ROW_WORDS, 0)
  }

  /** Ends the write of a row: it becomes visible. */
  publish(row: number, mark: number): void {
    Atomics.store(this.words, row * ROW_WORDS, mark)
  }

  /** Writes a row except for its mark. Returns false if the id does not fit. */
  write(row: number, { id, version, confirmedAt, waitingSince, timeoutMs, failAt }: RowLease): boolean {
    if (id.length > MAX_ID_LENGTH) return false
    const start = row * ROW_WORDS
    let word = 0
    for (let index = 0; index < id.length; index++) {
      const code = id.charCodeAt(index)
      if (code > MAX_ASCII) return false
      const byte = index % Int32Array.BYTES_PER_ELEMENT
      word |= code << (byte * BYTE_BITS)
      if (byte < Int32Array.BYTES_PER_ELEMENT - 1 && index < id.length - 1) continue
      Atomics.store(this.words, start + ID_OFFSET + Math.floor(index / Int32Array.BYTES_PER_ELEMENT), word)
      word = 0
    }
    Atomics.store(this.words, start + 1, id.length)
    this.writeFloat(row, 0, version)
    this.writeFloat(row, 1, confirmedAt)
    this.writeFloat(row, 2, waitingSince)
    this.writeFloat(row, 3, timeoutMs)
    this.writeFloat(row, 4, failAt)
    return true
  }

  /** 0: the row is empty. */
  mark(row: number): number {
    return Atomics.load(this.words, row * ROW_WORDS)
  }

  /** Changes the state of the lease with this mark, unless the other thread changed it first. Returns the new mark or null. */
  change(row: number, mark: number, state: LeaseState): number | null {
    const next = (mark & ~STATE_MASK) | STATES.indexOf(state)
    return Atomics.compareExchange(this.words, row * ROW_WORDS, mark, next) === mark ? next : null
  }

  /**
   * Null for an empty row, and for one that changed during every read: the next call reads it again. The mark before and after
   * shows whether the row changed meanwhile.
   */
  read(row: number): RowContent | null {
    for (let reads = 0; reads < MAX_READS; reads++) {
      const mark = Atomics.load(this.words, row * ROW_WORDS)
      if (mark === 0) return null
      const content = { ...this.copy(row), mark }
      if (Atomics.load(this.words, row * ROW_WORDS) === mark) return content
    }
    return null
  }

  private copy(row: number): RowLease {
    const start = row * ROW_WORDS
    const length = Math.min(Atomics.load(this.words, start + 1), MAX_ID_LENGTH)
    const codes: number[] = []
    for (let index = 0; index < length; index++) {
      const word = Atomics.load(this.words, start + ID_OFFSET + Math.floor(index / Int32Array.BYTES_PER_ELEMENT))
      codes.push((word >> ((index % Int32Array.BYTES_PER_ELEMENT) * BYTE_BITS)) & BYTE_MASK)
    }
    return {
      id: String.fromCharCode(...codes),
      version: this.readFloat(row, 0),
      confirmedAt: this.readFloat(row, 1),
      waitingSince: this.readFloat(row, 2),
      timeoutMs: this.readFloat(row, 3),
      failAt: this.readFloat(row, 4),
    }
  }

  private writeFloat(row: number, index: number, value: number): void {
    const at = row * ROW_WORDS + FLOATS_OFFSET + 2 * index
    this.float[0] = value
    Atomics.store(this.words, at, this.halves[0] ?? 0)
    Atomics.store(this.words, at + 1, this.halves[1] ?? 0)
  }

  private readFloat(row: number, index: number): number {
    const at = row * ROW_WORDS + FLOATS_OFFSET + 2 * index
    this.halves[0] = Atomics.load(this.words, at)
    this.halves[1] = Atomics.load(this.words, at + 1)
    return this.float[0] ?? 0
  }
}

/** The mark of a row for a generation from 1. */
export function markOf(generation: number, state: LeaseState): number {
  return (((generation - 1) % MAX_GENERATION) + 1) * 2 ** STATE_BITS + STATES.indexOf(state)
}

export function stateOf(mark: number): LeaseState {
  return STATES[mark & STATE_MASK] ?? 'started'
}

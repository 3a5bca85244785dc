/** Reads a WAL as SQLite does after a crash, and counts the valid frames behind the first invalid one. */
import { closeSync, openSync, readSync } from 'node:fs'

const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
/** The last bit is the byte order of the checksums. */
const MAGIC = 0x377f0682
const FRAMES_PER_READ = 256
/** Default of SQLite, assumed when the header holds an invalid size. */
const USUAL_PAGE_BYTES = 4_096

export interface WalReading {
  /** Identifies this generation of the WAL: every reset starts a new one. */
  readonly header: string
  /** Frames before the first invalid one; SQLite reads none behind it. */
  readonly validFrames: number
  readonly framesAfter: number
  /** Transactions that end behind the first invalid frame, except the one that contains it. */
  readonly lostTransactions: number
}

interface Sum {
  readonly first: number
  readonly second: number
}

const ZERO: Sum = { first: 0, second: 0 }

interface Header {
  readonly text: string
  readonly isValid: boolean
  readonly pageSize: number
  readonly littleEndian: boolean
  readonly salts: readonly [number, number]
  readonly sum: Sum
}

/** null: the file has no header. Frames of an earlier generation, which remain in the file, are not counted. */
export function readWal(path: string): WalReading | null {
  const descriptor = openSync(path, 'r')
  try {
    const readings = readHeaders(descriptor).map((header) => readFrames(descriptor, header))
    return readings.toSorted((a, b) => b.lostTransactions - a.lostTransactions)[0] ?? null
  } finally {
    closeSync(descriptor)
  }
}

function readFrames(descriptor: number, header: Header): WalReading {
  const { pageSize, salts, littleEndian } = header
  const frameBytes = FRAME_HEADER_BYTES + pageSize
  const block = Buffer.alloc(frameBytes * FRAMES_PER_READ)
  // Behind the first invalid frame each checksum starts from the one that is stored in the previous frame.
  let sum: Sum = header.sum
  let isIntact = header.isValid
  let [validFrames, framesAfter, ends] = [0, 0, 0]
  for (let at = HEADER_BYTES, length = block.length; length === block.length; at += length) {
    length = readSync(descriptor, block, 0, block.length, at)
    for (let from = 0; from + frameBytes <= length; from += frameBytes) {
      const frame = new DataView(block.buffer, block.byteOffset + from, frameBytes)
      const isOurs = sameSalts(frame, salts, header.isValid)
      const found = add(add(sum, frame, 0, 8, littleEndian), frame, FRAME_HEADER_BYTES, pageSize, littleEndian)
      sum = { first: frame.getUint32(16), second: frame.getUint32(20) }
      const isValid = isOurs && isSame(found, sum)
      const isFirstBroken = isIntact && !isValid
      isIntact &&= isValid
      if (isIntact) validFrames += 1
      else if (isValid || (isFirstBroken && isOurs)) {
        framesAfter += 1
        if (frame.getUint32(4) > 0) ends += 1
      }
    }
  }
  // The transaction with the first invalid frame may be the last one, torn by a power cut before it was acknowledged.
  return { header: header.text, validFrames, framesAfter, lostTransactions: Math.max(0, ends - 1) }
}

/** The header; for a damaged one, its possible values. Empty when the file is too short. */
function readHeaders(descriptor: number): readonly Header[] {
  const bytes = Buffer.alloc(HEADER_BYTES)
  if (readSync(descriptor, bytes, 0, HEADER_BYTES, 0) < HEADER_BYTES) return []
  const view = new DataView(bytes.buffer, bytes.byteOffset, HEADER_BYTES)
  const magic = view.getUint32(0)
  const pageSize = view.getUint32(8)
  const littleEndian = (magic & 1) === 0
  const sum = { first: view.getUint32(24), second: view.getUint32(28) }
  const salts = [view.getUint32(16), view.getUint32(20)] as const
  const isValid = (magic & ~1) === MAGIC && isPageSize(pageSize) && isSame(add(ZERO, view, 0, 24, littleEndian), sum)
  const rest = { text: bytes.toString('hex'), isValid, salts, sum }
  if (isValid) return [{ ...rest, pageSize, littleEndian }]
  const sizes = new Set([isPageSize(pageSize) ? pageSize : USUAL_PAGE_BYTES, USUAL_PAGE_BYTES])
  return [...sizes].flatMap((size) => [true, false].map((order) => ({ ...rest, pageSize: size, littleEndian: order })))
}

function isPageSize(bytes: number): boolean {
  return bytes >= 512 && bytes <= 65_536 && (bytes & (bytes - 1)) === 0
}

/** In a damaged header one of the two salts may be wrong. The salts of an earlier generation differ in both. */
function sameSalts(frame: DataView, [first, second]: readonly [number, number], headerIsValid: boolean): boolean {
  const equal = [frame.getUint32(8) === first, frame.getUint32(12) === second]
  return headerIsValid ? equal.every(Boolean) : equal.some(Boolean)
}

function add({ first, second }: Sum, view: DataView, from: number, length: number, littleEndian: boolean): Sum {
  let [a, b] = [first, second]
  for (let at = from; at < from + length; at += 8) {
    a = (a + view.getUint32(at, littleEndian) + b) >>> 0
    b = (b + view.getUint32(at + 4, littleEndian) + a) >>> 0
  }
  return { first: a, second: b }
}

function isSame(one: Sum, other: Sum): boolean {
  return one.first === other.first && one.second === other.second
}

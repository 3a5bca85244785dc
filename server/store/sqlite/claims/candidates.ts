/** Candidates of the claims of one commit: one index scan per type serves all of them. */

import type { CandidateSource } from '../../decisions/choose-jobs.ts'
import { type Candidate, comesBefore } from '../../decisions/claim-order.ts'
import type { KnownType } from '../../decisions/rules.ts'
import { columnsOf, type TupleOf } from '../../rows/tables.ts'
import type { Ledger } from '../commit/ledger.ts'
import type { Client } from '../connection/open.ts'
import { type CandidateHeap, FirstCandidates } from './first-candidates.ts'

export const CANDIDATE = columnsOf('jobs', ['seq', 'priority', 'runAt'])
export type CandidateTuple = TupleOf<typeof CANDIDATE>

/** Claims may request thousands of jobs and find few: candidates are read in chunks. */
const MAX_CHUNK = 256
/** With more types than this their first candidates are kept between commits, in a heap. With fewer, a scan is cheaper. */
const MANY_TYPES = 64

/** The candidates of one type that were read, and the position of the first that is left. */
interface Chunk {
  rows: Candidate[]
  next: number
}

/** Claims run after all operations that add pending jobs, so a chunk stays valid until its rows are used up. */
export class Candidates implements CandidateSource {
  private readonly selectAll
  private readonly selectUnexpired
  private readonly selectWithoutCrashes
  private chunks = new Map<string, Chunk>()
  private beforeRefill = () => {}
  private expiringAt: number | null = null
  private withoutCrashed = false
  private limit = 1
  private readonly firstOfTypes: FirstCandidates
  /** The heap of the types of the last call, when they were many. */
  private heap: { readonly of: ReadonlyMap<KnownType, unknown>; readonly heap: CandidateHeap } | null = null

  constructor(client: Client, ledger: Ledger) {
    this.firstOfTypes = new FirstCandidates(client, ledger)
    // Not `LIMIT ?`: SQLite plans such a statement for the bound value, and prepares it again at each call, which takes 6 µs of 7.
    const select = (condition: string) =>
      `SELECT ${CANDIDATE.names} FROM millrace_jobs WHERE type = ? AND status = 'pending' ${condition}
       ORDER BY priority DESC, run_at, seq LIMIT ? + 0`
    this.selectAll = client.prepare<[type: string, limit: number], CandidateTuple>(select('')).raw()
    this.selectUnexpired = client
      .prepare<[type: string, now: number, limit: number], CandidateTuple>(
        select('AND (expires_at IS NULL OR expires_at > ?)'),
      )
      .raw()
    // Slower: `crashes` and `face` are not in the index, so each row is looked up.
    this.selectWithoutCrashes = client
      .prepare<[type: string, now: number, limit: number], CandidateTuple>(
        select(`AND (expires_at IS NULL OR expires_at > ?) AND (crashes = 0 OR face = 'messages')`),
      )
      .raw()
  }

  /** `beforeRefill` takes the chosen jobs: a type is read again only after its first rows have left the index. */
  begin(limit: number, beforeRefill: () => void): void {
    this.chunks = new Map()
    this.beforeRefill = beforeRefill
    this.expiringAt = null
    this.heap = null
    this.withoutCrashed = false
    this.limit = Math.min(Math.max(1, limit), MAX_CHUNK)
  }

  best(types: ReadonlyMap<KnownType, unknown>): KnownType | undefined {
    return types.size > MANY_TYPES || this.heap?.of === types ? this.bestOfMany(types) : this.bestOfFew(types.keys())
  }

  private bestOfFew(types: Iterable<KnownType>): KnownType | undefined {
    let best: KnownType | undefined
    let bestCandidate: Candidate | undefined
    for (const type of types) {
      const candidate = this.firstOf(type.name)
      if (candidate && (!bestCandidate || comesBefore(candidate, bestCandidate))) {
        best = type
        bestCandidate = candidate
      }
    }
    return best
  }

  private bestOfMany(types: ReadonlyMap<KnownType, unknown>): KnownType | undefined {
    if (this.heap?.of !== types) {
      const read = (type: string) => (this.chunks.has(type) ? (this.firstOf(type) ?? null) : undefined)
      this.heap = { of: types, heap: this.firstOfTypes.heap(types.keys(), read) }
    }
    const { heap } = this.heap
    for (let first = heap.first; first; first = heap.first) {
      const candidate = types.has(first.type) ? this.firstOf(first.type.name) : undefined
      if (candidate && candidate[0] === first.candidate[0]) return first.type
      heap.replaceFirst(candidate ?? null)
    }
    return undefined
  }

  first(types: ReadonlyMap<KnownType, unknown>): Candidate | undefined {
    const type = this.best(types)
    return type && this.firstOf(type.name)
  }

  pop(type: string): Candidate {
    const candidate = this.firstOf(type)
    const chunk = this.chunks.get(type)
    if (!candidate || !chunk) throw new Error(`Type ${type} has no candidates left.`)
    chunk.next += 1
    return candidate
  }

  /** Excludes expired jobs: more have expired than one commit expires, or the clock is not trusted. */
  skipExpired(now: number): void {
    this.expiringAt = now
  }

  /** Jobs with crashes are chosen by Isolation instead. */
  leaveOutCrashed(): void {
    this.withoutCrashed = true
  }

  private read(type: string): Candidate[] {
    if (this.withoutCrashed) return this.selectWithoutCrashes.all(type, this.expiringAt ?? -1, this.limit)
    if (this.expiringAt === null) return this.selectAll.all(type, this.limit)
    return this.selectUnexpired.all(type, this.expiringAt, this.limit)
  }

  private firstOf(type: string): Candidate | undefined {
    let chunk = this.chunks.get(type)
    const usedUp = chunk && chunk.next === chunk.rows.length && chunk.rows.length === this.limit
    if (!chunk || usedUp) {
      if (usedUp) this.beforeRefill()
      chunk = { rows: this.read(type), next: 0 }
      this.chunks.set(type, chunk)
    }
    return chunk.rows[chunk.next]
  }
}

/**
 * The first candidate of each of many types, kept between commits: with 10,000 types a claim without types would read all of them.
 * Only types whose jobs changed are read again. A choice is always read from the index first.
 */
import { type Candidate, comesBefore } from '../../decisions/claim-order.ts'
import type { KnownType } from '../../decisions/rules.ts'
import type { Ledger } from '../commit/ledger.ts'
import type { Client } from '../connection/open.ts'

interface Entry {
  readonly type: KnownType
  candidate: Candidate
}

export class FirstCandidates {
  private readonly ledger: Ledger
  private readonly select
  private readonly known = new Map<string, Candidate>()
  private generation = -1

  constructor(client: Client, ledger: Ledger) {
    this.ledger = ledger
    // One statement for all types: 4 µs a type; one statement for each takes 15. Without a join: the index holds all columns.
    this.select = client
      .prepare<[types: string], [type: string, candidate: string | null]>(
        `SELECT value, (SELECT priority || ' ' || run_at || ' ' || seq FROM millrace_jobs INDEXED BY millrace_jobs_claim
           WHERE type = value AND status = 'pending' ORDER BY priority DESC, run_at, seq LIMIT 1) FROM json_each(?)`,
      )
      .raw()
  }

  /** `readNow` returns the first candidate of a type that this commit has read, null for none, undefined for other types. */
  heap(types: Iterable<KnownType>, readNow: (type: string) => Candidate | null | undefined): CandidateHeap {
    this.forgetChanged()
    const entries: Entry[] = []
    const unknown: KnownType[] = []
    const add = (type: KnownType) => {
      const read = readNow(type.name)
      const candidate = read === undefined ? this.known.get(type.name) : read
      if (candidate) entries.push({ type, candidate })
      return candidate !== undefined
    }
    for (const type of types) if (!add(type)) unknown.push(type)
    this.read(unknown.map(({ name }) => name))
    for (const type of unknown) add(type)
    return new CandidateHeap(entries)
  }

  private forgetChanged(): void {
    const { ledger } = this
    if (ledger.generation !== this.generation) this.known.clear()
    this.generation = ledger.generation
    for (const type of ledger.takeTouched()) this.known.delete(type)
  }

  private read(types: readonly string[]): void {
    if (types.length === 0) return
    for (const [type, candidate] of this.select.iterate(JSON.stringify(types))) {
      if (candidate === null) continue
      const [priority = 0, runAt = 0, seq = 0] = candidate.split(' ').map(Number)
      this.known.set(type, [seq, priority, runAt])
    }
  }
}

/** A binary heap of types by their first candidates. */
export class CandidateHeap {
  private readonly heap: Entry[]

  constructor(entries: Entry[]) {
    this.heap = entries
    for (let at = (entries.length >> 1) - 1; at >= 0; at--) this.sink(at)
  }

  get first(): Entry | undefined {
    return this.heap[0]
  }

  /** The first type has another candidate now. null: it has none, or has no capacity left. */
  replaceFirst(candidate: Candidate | null): void {
    const [first] = this.heap
    if (!first) return
    if (candidate) first.candidate = candidate
    else {
      const last = this.heap.pop()
      if (last && this.heap.length > 0) this.heap[0] = last
    }
    this.sink(0)
  }

  private sink(from: number): void {
    const { heap } = this
    const entry = heap[from]
    if (!entry) return
    let at = from
    for (;;) {
      let child = 2 * at + 1
      let least = heap[child]
      const right = heap[child + 1]
      if (least && right && comesBefore(right.candidate, least.candidate)) {
        child += 1
        least = right
      }
      if (!least || !comesBefore(least.candidate, entry.candidate)) break
      heap[at] = least
      at = child
    }
    heap[at] = entry
  }
}

/** The heads of the lines inside one commit: one index scan per type serves all claims of the commit. */
import { type Candidate, comesBefore } from '../../claim-order.ts'
import type { KnownType } from '../../rules.ts'
import type { Ledger } from '../commit/ledger.ts'
import type { Client } from '../connection/open.ts'
import { Heads, type Order } from './type-heads.ts'

/** Claims may want thousands and find few: lines are read in pieces. */
const MAX_AT_ONCE = 256
/** With more types than this their heads are kept between commits and in order; with fewer, looking at each is cheaper. */
const MANY = 64

interface Line {
  rows: Candidate[]
  next: number
}

/** Claims run after everything that adds pending jobs, so a line read once stays true until its rows are used up. */
export class Candidates {
  private readonly selectLine
  private readonly selectUnexpired
  private readonly selectWithoutCrashes
  private lines = new Map<string, Line>()
  private beforeRefill = () => {}
  private expiringAt: number | null = null
  private areCrashedLeftOut = false
  private wanted = 1
  private readonly heads: Heads
  /** Of the types that were last asked for, when they were many. */
  private order: { readonly of: ReadonlyMap<KnownType, unknown>; readonly order: Order } | null = null

  constructor(client: Client, ledger: Ledger) {
    this.heads = new Heads(client, ledger)
    const line = (
      condition: string,
    ) => `SELECT seq, priority, run_at FROM millrace_jobs WHERE type = ? AND status = 'pending' ${condition}
      ORDER BY priority DESC, run_at, seq LIMIT ?`
    this.selectLine = client.prepare<[string, number], Candidate>(line('')).raw()
    this.selectUnexpired = client
      .prepare<[string, number, number], Candidate>(line('AND (expires_at IS NULL OR expires_at > ?)'))
      .raw()
    // Slower: `crashes` and `face` are not in the index, so each row is looked up.
    this.selectWithoutCrashes = client
      .prepare<[string, number, number], Candidate>(
        line(`AND (expires_at IS NULL OR expires_at > ?) AND (crashes = 0 OR face = 'messages')`),
      )
      .raw()
  }

  /** `beforeRefill` takes what was chosen so far: a line is read again only once its first rows have left it. */
  begin(wanted: number, beforeRefill: () => void): void {
    this.lines = new Map()
    this.beforeRefill = beforeRefill
    this.expiringAt = null
    this.order = null
    this.areCrashedLeftOut = false
    this.wanted = Math.min(Math.max(1, wanted), MAX_AT_ONCE)
  }

  /** The type whose head comes first: priority, then due time, then age. Of one map of many types, types may only go. */
  best(types: ReadonlyMap<KnownType, unknown>): KnownType | undefined {
    return types.size > MANY || this.order?.of === types ? this.bestOfMany(types) : this.bestOfFew(types.keys())
  }

  private bestOfFew(types: Iterable<KnownType>): KnownType | undefined {
    let best: KnownType | undefined
    let bestHead: Candidate | undefined
    for (const type of types) {
      const head = this.head(type.name)
      if (head && (!bestHead || comesBefore(head, bestHead))) {
        best = type
        bestHead = head
      }
    }
    return best
  }

  private bestOfMany(types: ReadonlyMap<KnownType, unknown>): KnownType | undefined {
    if (this.order?.of !== types) {
      const current = (type: string) => (this.lines.has(type) ? (this.head(type) ?? null) : undefined)
      this.order = { of: types, order: this.heads.order(types.keys(), current) }
    }
    const { order } = this.order
    for (let first = order.first; first; first = order.first) {
      const head = types.has(first.type) ? this.head(first.type.name) : undefined
      if (head && head[0] === first.head[0]) return first.type
      order.replaceFirst(head ?? null)
    }
    return undefined
  }

  /** The first of all these lines. */
  first(types: ReadonlyMap<KnownType, unknown>): Candidate | undefined {
    const type = this.best(types)
    return type && this.head(type.name)
  }

  pop(type: string): Candidate {
    const head = this.head(type)
    const line = this.lines.get(type)
    if (!head || !line) throw new Error(`The line of ${type} is empty.`)
    line.next += 1
    return head
  }

  /** More has expired than could be cleared away at once: what is left of it is passed over. */
  skipExpired(now: number): void {
    this.expiringAt = now
  }

  /** There are jobs with crashes, which are chosen by other rules. */
  leaveOutCrashed(): void {
    this.areCrashedLeftOut = true
  }

  private read(type: string): Candidate[] {
    if (this.areCrashedLeftOut) return this.selectWithoutCrashes.all(type, this.expiringAt ?? -1, this.wanted)
    if (this.expiringAt === null) return this.selectLine.all(type, this.wanted)
    return this.selectUnexpired.all(type, this.expiringAt, this.wanted)
  }

  private head(type: string): Candidate | undefined {
    let line = this.lines.get(type)
    const usedUp = line && line.next === line.rows.length && line.rows.length === this.wanted
    if (!line || usedUp) {
      if (usedUp) this.beforeRefill()
      line = { rows: this.read(type), next: 0 }
      this.lines.set(type, line)
    }
    return line.rows[line.next]
  }
}

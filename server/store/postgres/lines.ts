/** The heads of the lines inside one commit: one statement locks what all its claims may take, and skips what others hold. */
import { type Candidate, comesBefore } from '../claim-order.ts'
import type { KnownType } from '../rules.ts'
import type { Session } from './session.ts'

/** Of each type; a commit whose claims want more gets the rest with the next one. */
const MAX_LINE = 1_000

interface Head {
  readonly seq: number
  readonly type: string
  readonly priority: number
  readonly runAt: number
}

export class Lines {
  private readonly lines = new Map<string, Candidate[]>()
  private readonly totals = new Map<string, number>()

  private constructor(heads: readonly Head[]) {
    for (const { seq, type, priority, runAt } of heads) {
      const line = this.lines.get(type) ?? []
      this.lines.set(type, line)
      line.push([seq, priority, runAt])
    }
    for (const line of this.lines.values()) line.reverse()
    this.taken()
  }

  /** `wanted`: how many jobs all claims of this commit may take together. */
  static async read(session: Session, types: readonly string[], wanted: number): Promise<Lines> {
    if (types.length === 0 || wanted === 0) return new Lines([])
    return new Lines(
      await session.rows<Head>(
        'lines',
        `SELECT j.seq, j.type, j.priority, j.run_at AS "runAt" FROM unnest($1::text[]) AS t (name), LATERAL (
           SELECT seq, type, priority, run_at FROM jobs
           WHERE type = t.name AND status = 'pending' AND (expires_at IS NULL OR expires_at > $2)
           ORDER BY priority DESC, run_at, seq LIMIT $3 FOR UPDATE SKIP LOCKED) AS j`,
        [types, session.now, Math.min(wanted, MAX_LINE)],
      ),
    )
  }

  /** How long the line was when it was read, or after the last jobs were taken from it. */
  total(type: string): number {
    return this.totals.get(type) ?? 0
  }

  /** What was popped has left the line for good. */
  taken(): void {
    for (const [type, line] of this.lines) this.totals.set(type, line.length)
  }

  /** The type whose head comes first. */
  best(types: Iterable<KnownType>): KnownType | undefined {
    let best: KnownType | undefined
    let bestHead: Candidate | undefined
    for (const type of types) {
      const head = this.lines.get(type.name)?.at(-1)
      if (head && (!bestHead || comesBefore(head, bestHead))) {
        best = type
        bestHead = head
      }
    }
    return best
  }

  pop(type: string): Candidate {
    const head = this.lines.get(type)?.pop()
    if (!head) throw new Error(`The line of ${type} is empty.`)
    return head
  }
}

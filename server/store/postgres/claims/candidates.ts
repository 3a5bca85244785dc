/** The heads of the lines inside one commit: one statement locks what all its claims may take, and skips what others hold. */
import { type Candidate, comesBefore } from '../../claim-order.ts'
import type { KnownType } from '../../rules.ts'
import type { Session } from '../connection/session.ts'

/** Of each type; a commit whose claims want more gets the rest with the next one. */
const MAX_LINE = 1_000
/** With more types than this, those whose jobs come first are found before any job is locked. */
const MANY = 64
/** How many types more than there are jobs wanted: others may hold the first jobs of some. Then more, then all. */
const SPARE_TYPES = [16, 128, 1_024] as const

interface Head {
  readonly seq: number
  readonly type: string
  readonly priority: number
  readonly runAt: number
}

/** No type twice. */
export interface AskedTypes {
  /** By claims that name their types. */
  readonly named: readonly string[]
  /** All others that claims without names may take, one list per kind. */
  readonly unnamed: readonly (readonly string[])[]
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

  /** `wanted`: how many jobs all claims of this commit may take together; `limitOf`: how many of a type they may take. */
  static async read(
    session: Session,
    asked: AskedTypes,
    wanted: number,
    limitOf: (type: string) => number,
    { withCrashed = true } = {},
  ): Promise<Lines> {
    if (wanted === 0) return new Lines([])
    const few = [asked.named, ...asked.unnamed.filter((types) => types.length <= MANY)].flat()
    const many = asked.unnamed.filter((types) => types.length > MANY)
    const heads = [await readHeads(session, few, wanted, withCrashed)]
    for (const types of many) heads.push(await readFirst(session, types, wanted, limitOf, withCrashed))
    return new Lines(heads.flat())
  }

  /** How long the line was when it was read, or after the last jobs were taken from it. */
  total(type: string): number {
    return this.totals.get(type) ?? 0
  }

  /** What was popped has left the line for good. */
  taken(): void {
    for (const [type, line] of this.lines) this.totals.set(type, line.length)
  }

  /** The first of all these lines. */
  first(types: Iterable<KnownType>): Candidate | undefined {
    const type = this.best(types)
    return type && this.lines.get(type.name)?.at(-1)
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

/** Enough of the lines whose jobs come first. */
async function readFirst(
  session: Session,
  types: readonly string[],
  wanted: number,
  limitOf: (type: string) => number,
  withCrashed: boolean,
): Promise<readonly Head[]> {
  const order = await readyTypes(session, types, wanted + Math.max(...SPARE_TYPES))
  const heads: Head[] = []
  let from = 0
  for (const spare of SPARE_TYPES) {
    heads.push(...(await readHeads(session, order.slice(from, wanted + spare), wanted, withCrashed)))
    from = wanted + spare
    if (from >= order.length || isEnough(heads, wanted, limitOf)) return heads
  }
  return readHeads(session, types, wanted, withCrashed)
}

async function readHeads(
  session: Session,
  types: readonly string[],
  wanted: number,
  withCrashed: boolean,
): Promise<readonly Head[]> {
  if (types.length === 0) return []
  return session.rows<Head>(
    withCrashed ? 'lines' : 'lines-without-crashed',
    `SELECT j.seq, j.type, j.priority, j.run_at AS "runAt" FROM unnest($1::text[]) AS t (name), LATERAL (
       SELECT seq, type, priority, run_at FROM millrace_jobs
       WHERE type = t.name AND status = 'pending' AND (expires_at IS NULL OR expires_at > $2)
         ${withCrashed ? '' : `AND (crashes = 0 OR face = 'messages')`}
       ORDER BY priority DESC, run_at, seq LIMIT $3 FOR UPDATE SKIP LOCKED) AS j`,
    [types, session.now, Math.min(wanted, MAX_LINE)],
  )
}

/**
 * Of these types, those with pending jobs, first jobs first: one look at the index per type that has any, so that a type without
 * costs nothing. Nothing is locked.
 */
async function readyTypes(session: Session, types: readonly string[], limit: number): Promise<readonly string[]> {
  const rows = await session.rows<{ type: string }>(
    'ready-types',
    `WITH RECURSIVE head AS (
       (SELECT type, priority, run_at, seq FROM millrace_jobs WHERE status = 'pending'
        ORDER BY type, priority DESC, run_at, seq LIMIT 1)
       UNION ALL
       SELECT next.* FROM head, LATERAL (
         SELECT type, priority, run_at, seq FROM millrace_jobs WHERE status = 'pending' AND type > head.type
         ORDER BY type, priority DESC, run_at, seq LIMIT 1) AS next)
     SELECT type FROM head WHERE type = ANY($1::text[]) ORDER BY priority DESC, run_at, seq LIMIT $2`,
    [types, limit],
  )
  return rows.map(({ type }) => type)
}

function isEnough(heads: readonly Head[], wanted: number, limitOf: (type: string) => number): boolean {
  const found = new Map<string, number>()
  for (const { type } of heads) found.set(type, (found.get(type) ?? 0) + 1)
  let enough = 0
  for (const [type, n] of found) enough += Math.min(n, limitOf(type))
  return enough >= wanted
}

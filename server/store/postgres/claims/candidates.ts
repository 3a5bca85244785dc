/** Candidates of the claims of one commit: one statement locks them and skips rows that other nodes have locked. */

import type { CandidateSource } from '../../decisions/choose-jobs.ts'
import { type Candidate, comesBefore } from '../../decisions/claim-order.ts'
import type { JobGroup } from '../../decisions/group-of-job.ts'
import type { KnownType } from '../../decisions/rules.ts'
import { GROUP } from '../../rows/group-rows.ts'
import { columnsOf, type Row, type RowOf } from '../../rows/tables.ts'
import { keyOfJob, type OptionalKey } from '../commit/groups/key-rows.ts'
import { clockOr } from '../connection/clock.ts'
import type { Session } from '../connection/session.ts'

export const CANDIDATE = columnsOf('jobs', ['seq', 'type', 'priority', 'runAt', 'groupName', 'groupKey'])
export type CandidateRow = RowOf<typeof CANDIDATE>
type LockedRow = CandidateRow & OptionalKey

/** Candidates per type and commit. A commit whose claims request more gets the rest with the next one. */
export const MAX_PER_TYPE = 1_000
/** With more types than this, the types whose jobs come first are found before any job is locked. */
export const MANY_TYPES = 64
/** Types to read beyond the number of jobs requested, because other nodes may have locked the first jobs of some. */
const SPARE_TYPES = [16, 128, 1_024] as const

/** No type is listed twice. */
export interface RequestedTypes {
  /** Types that a claim lists. */
  readonly listed: readonly string[]
  /** The other types that claims without types may take, one list per kind. */
  readonly unlisted: readonly (readonly string[])[]
}

export interface CandidateQuery {
  readonly types: RequestedTypes
  /** How many jobs all claims of this commit may take together. */
  readonly limit: number
  /** How many jobs of a type they may take. */
  limitOf(type: string): number
  /** Default: true. */
  readonly withCrashed?: boolean
  /** Locks the keys of the candidates too. Default: false. */
  readonly withKeys?: boolean
}

export class Candidates implements CandidateSource {
  /** By type, the first one last. */
  private readonly byType = new Map<string, Candidate[]>()
  private readonly counts = new Map<string, number>()
  /** Of the candidates that have one, by seq. */
  readonly groups = new Map<number, JobGroup>()
  /** The keys that were locked with them: not those that other transactions hold. */
  readonly keys: readonly OptionalKey[]

  constructor(rows: readonly LockedRow[] = []) {
    this.keys = rows
    for (const { seq, type, priority, runAt, groupName: name, groupKey: key } of rows) {
      if (name !== null && key !== null) this.groups.set(seq, { name, key })
      const ofType = this.byType.get(type) ?? []
      this.byType.set(type, ofType)
      ofType.push([seq, priority, runAt])
    }
    for (const ofType of this.byType.values()) ofType.reverse()
    this.taken()
  }

  static async read(session: Session, query: CandidateQuery): Promise<Candidates> {
    const { types, limit } = query
    if (limit === 0) return new Candidates()
    const few = [types.listed, ...types.unlisted.filter((names) => names.length <= MANY_TYPES)].flat()
    const many = types.unlisted.filter((names) => names.length > MANY_TYPES)
    const found = [await lockCandidates(session, few, query)]
    for (const names of many) found.push(await lockFirstCandidates(session, names, query))
    return new Candidates(found.flat())
  }

  /** Candidates of a type, as of the read or of the last take. */
  count(type: string): number {
    return this.counts.get(type) ?? 0
  }

  /** The popped candidates have been taken. */
  taken(): void {
    for (const [type, ofType] of this.byType) this.counts.set(type, ofType.length)
  }

  first(types: ReadonlyMap<KnownType, unknown>): Candidate | undefined {
    const type = this.best(types)
    return type && this.byType.get(type.name)?.at(-1)
  }

  best(types: ReadonlyMap<KnownType, unknown>): KnownType | undefined {
    let best: KnownType | undefined
    let bestCandidate: Candidate | undefined
    for (const type of types.keys()) {
      const candidate = this.byType.get(type.name)?.at(-1)
      if (candidate && (!bestCandidate || comesBefore(candidate, bestCandidate))) {
        best = type
        bestCandidate = candidate
      }
    }
    return best
  }

  pop(type: string): Candidate {
    const candidate = this.byType.get(type)?.pop()
    if (!candidate) throw new Error(`Type ${type} has no candidates left.`)
    return candidate
  }
}

/** Reads the types whose jobs come first, then more types until the candidates suffice. */
async function lockFirstCandidates(
  session: Session,
  types: readonly string[],
  query: CandidateQuery,
): Promise<readonly LockedRow[]> {
  const { limit } = query
  const ordered = await typesInClaimOrder(session, types, limit + Math.max(...SPARE_TYPES))
  const rows: LockedRow[] = []
  let from = 0
  for (const spare of SPARE_TYPES) {
    rows.push(...(await lockCandidates(session, ordered.slice(from, limit + spare), query)))
    from = limit + spare
    if (from >= ordered.length || isEnough(rows, query)) return rows
  }
  return lockCandidates(session, types, query)
}

/**
 * The limit that is a constant bounds the estimated cost of a kept plan; the other one ends the search, and with it the locks. Their
 * keys are locked without waiting, so in any order.
 */
async function lockCandidates(
  session: Session,
  types: readonly string[],
  { limit, withCrashed = true, withKeys = false }: CandidateQuery,
): Promise<readonly LockedRow[]> {
  if (types.length === 0) return []
  return session.rows<LockedRow>(
    `candidates${withCrashed ? '' : '-without-crashed'}${withKeys ? '-with-keys' : ''}`,
    `SELECT ${CANDIDATE.of('j')}${withKeys ? `, ${GROUP.of('g')}` : ''} FROM unnest($1::text[]) AS t (type), LATERAL (
       SELECT * FROM (
         SELECT ${CANDIDATE.names} FROM millrace_jobs
         WHERE type = t.type AND status = 'pending' AND (expires_at IS NULL OR expires_at > ${clockOr('$2')})
           ${withCrashed ? '' : `AND (crashes = 0 OR face = 'messages')`}
         ORDER BY priority DESC, run_at, seq LIMIT ${MAX_PER_TYPE} FOR UPDATE SKIP LOCKED) AS first
       LIMIT $3) AS j ${withKeys ? `LEFT JOIN LATERAL (${keyOfJob('j')} FOR UPDATE SKIP LOCKED) AS g ON true` : ''}`,
    [types, session.instant, Math.min(limit, MAX_PER_TYPE)],
  )
}

/**
 * Those of the types that have pending jobs, in claim order of their first jobs. One index lookup per type with pending jobs: other
 * types cost nothing. Locks nothing.
 */
async function typesInClaimOrder(
  session: Session,
  types: readonly string[],
  limit: number,
): Promise<readonly string[]> {
  const rows = await session.rows<Row<'jobs', 'type'>>(
    'types-in-claim-order',
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

function isEnough(rows: readonly CandidateRow[], { limit, limitOf }: CandidateQuery): boolean {
  const found = new Map<string, number>()
  for (const { type } of rows) found.set(type, (found.get(type) ?? 0) + 1)
  let enough = 0
  for (const [type, n] of found) enough += Math.min(n, limitOf(type))
  return enough >= limit
}

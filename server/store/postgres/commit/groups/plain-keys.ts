/** Jobs with keys in a plain commit: their keys are locked in its first round trip, and handed on and written in its last. */
import type { ClaimOp } from '../../../decisions/choose-jobs.ts'
import { type Candidate, comesBefore } from '../../../decisions/claim-order.ts'
import type { ClaimedRow, OpOf } from '../../../ops.ts'
import { GROUP, type GroupRecord } from '../../../rows/group-rows.ts'
import { columnsOf, type Row } from '../../../rows/tables.ts'
import type { Catalog } from '../../claims/catalog.ts'
import { requestedTypes } from '../../claims/claim-rows.ts'
import { type PlainGroup, type Taken, type TakenRecord, takePlain } from '../../claims/plain-claim.ts'
import type { Session } from '../../connection/session.ts'
import type { Ledger } from '../ledger.ts'
import { NotPlain } from '../plain/not-plain.ts'
import type { CompletedRecord } from '../plain/plain-complete.ts'
import { Groups } from './groups.ts'
import type { Handed, NextJob } from './hand-on.ts'
import { CONTENDED_RETRY_MS, keyOfJob } from './key-rows.ts'

const NEXT = columnsOf('jobs', ['seq', 'id', 'type', 'priority'])
/** A key, with one of its blocked jobs; null: none is free. */
type NextRecord = GroupRecord & (NextJob | { readonly [Column in keyof NextJob]: null })

export class PlainKeys {
  private readonly session: Session
  private readonly catalog: Catalog
  private readonly groups: Groups
  /** Jobs that became pending, which the first claims of this commit have not seen. */
  private handed: readonly Handed[] = []

  constructor(parts: { readonly session: Session; readonly catalog: Catalog; readonly ledger: Ledger }) {
    this.session = parts.session
    this.catalog = parts.catalog
    this.groups = new Groups(parts)
  }

  /**
   * Locks the keys of these jobs, in the order of all commits, and of each key as many blocked jobs as it has jobs here. Blocked jobs
   * that other transactions hold are skipped. A key that it waits for may have newer blocked jobs, as if they came after this commit.
   */
  async lockOf(ops: readonly OpOf<'complete'>[]): Promise<void> {
    const records = await this.session.rows<NextRecord>(
      'keys-with-next',
      `SELECT ${GROUP.of('g')}, ${NEXT.of('n')} FROM (
         SELECT group_name, group_key, count(*) AS jobs FROM millrace_jobs WHERE id = ANY($1::text[]) AND group_key IS NOT NULL
         GROUP BY group_name, group_key ORDER BY group_name COLLATE "C", group_key COLLATE "C") AS k,
       LATERAL (${keyOfJob('k')} FOR UPDATE) AS g
       LEFT JOIN LATERAL (
         SELECT ${NEXT.names} FROM millrace_jobs WHERE group_name = g.name AND group_key = g.key AND status = 'blocked'
         ORDER BY priority DESC, run_at, seq LIMIT k.jobs FOR UPDATE SKIP LOCKED) AS n ON true`,
      [ops.map(({ id }) => id)],
    )
    for (const record of records) this.groups.adoptNext(record, record.seq === null ? null : record)
  }

  /** The rules must be those of the database from here on. */
  async completed(jobs: readonly CompletedRecord[]): Promise<void> {
    for (const { seq, groupName = null, groupKey, runAt = 0 } of jobs) {
      if (seq === undefined || groupKey === null) continue
      this.groups.move({ seq, groupName, groupKey, runAt }, 'processing', 'completed')
    }
    this.handed = await this.groups.handOn()
  }

  /** Returns the jobs of each claim. Claims for which there were too few jobs get those that were handed on. */
  async claimed(groups: readonly PlainGroup[], taken: readonly Taken[]): Promise<readonly Taken[]> {
    this.refuseOvertaken(groups, taken)
    const all = await Promise.all(taken.map((jobsOf, place) => this.withHanded(groups[place], jobsOf)))
    for (const jobsOf of all) for (const jobs of jobsOf.values()) this.start(jobs)
    return all
  }

  /** When to claim again. A claim without jobs may have left some whose keys other transactions hold. */
  async retryAt(taken: Taken): Promise<number | null> {
    const empty = [...taken].flatMap(([op, { length }]) => (length === 0 ? [op] : []))
    if (empty.length === 0) return null
    const open = empty.flatMap((op) => requestedTypes(this.catalog, op)).filter(({ effective }) => !effective.paused)
    const types = new Set(open.map(({ name }) => name))
    const { now } = this.session
    const [row] = await this.session.rows<Row<'jobs', 'seq'>>(
      'pending-with-keys',
      `SELECT j.seq FROM unnest($1::text[]) AS t (type), LATERAL (
         SELECT seq FROM millrace_jobs WHERE type = t.type AND status = 'pending' AND group_key IS NOT NULL
           AND (expires_at IS NULL OR expires_at > $2)
         ORDER BY priority DESC, run_at, seq LIMIT 1) AS j LIMIT 1`,
      [[...types], now],
    )
    return row ? now + CONTENDED_RETRY_MS : null
  }

  firstWakeAt(): number | null {
    return this.groups.firstWakeAt()
  }

  /** At the end of the commit. */
  async write(): Promise<void> {
    await this.groups.handOn()
    this.groups.flush()
  }

  /** Types of the jobs with keys that its claims have found. */
  claimedTypes(): ReadonlySet<string> {
    return this.groups.claimedTypes()
  }

  /** A job that was handed on would have been claimed instead of another one. */
  private refuseOvertaken(groups: readonly PlainGroup[], taken: readonly Taken[]): void {
    const handed = this.handed.filter(({ type }) => groups.some(({ types }) => types.some(({ name }) => name === type)))
    if (handed.length === 0) return
    const jobs = taken.flatMap((jobsOf) => [...jobsOf.values()].flat()).map(candidateOf)
    if (handed.some((next) => jobs.some((job) => comesBefore(candidateOf(next), job)))) throw new NotPlain()
  }

  private async withHanded(group: PlainGroup | undefined, first: Taken): Promise<Taken> {
    if (!group || !this.handed.some(({ type }) => group.types.some(({ name }) => name === type))) return first
    const missing = new Map<ClaimOp, ClaimOp>()
    for (const [op, { length }] of first) if (length < op.limit) missing.set({ ...op, limit: op.limit - length }, op)
    if (missing.size === 0) return first
    const all = new Map(first)
    for (const [part, jobs] of await takePlain(this.session, { types: group.types, ops: [...missing.keys()] }, true)) {
      const op = missing.get(part)
      if (op) all.set(op, [...(first.get(op) ?? []), ...jobs])
    }
    return all
  }

  private start(jobs: readonly TakenRecord[]): void {
    this.groups.adopt(jobs)
    for (const { seq, type, runAt, name: groupName, key: groupKey } of jobs) {
      if (typeof groupName !== 'string' || typeof groupKey !== 'string') continue
      this.groups.claimed(type)
      this.groups.move({ seq, groupName, groupKey, runAt }, 'pending', 'processing')
    }
  }
}

function candidateOf({ seq, priority, runAt }: Pick<ClaimedRow, 'seq' | 'priority' | 'runAt'>): Candidate {
  return [seq, priority, runAt]
}

/** Rows of the keys of groups that one commit has locked, written together. */
import type { JobGroup } from '../../../decisions/group-of-job.ts'
import { GROUP, type GroupRecord } from '../../../rows/group-rows.ts'
import { columns, type Session } from '../../connection/session.ts'
import { earliest } from '../due-times.ts'

/** The row of the key of a job: by its primary key, whatever the statistics predict. `alias`: of the job. */
export function keyOfJob(alias: string): string {
  return `SELECT ${GROUP.names} FROM millrace_job_groups WHERE name = ${alias}.group_name AND key = ${alias}.group_key`
}

/** The columns of a row that may be missing, or were not read, next to those of a job. */
export type OptionalKey = GroupRecord | { readonly [Column in keyof GroupRecord]?: null }

/** After this time the transaction that held a key has ended. */
export const CONTENDED_RETRY_MS = 20

/**
 * The place of each row, by its primary key. The rows are locked, so it does not change. With an equality of columns PostgreSQL plans a
 * join that compares each row with each other one.
 */
const FOUND = 'LATERAL (SELECT ctid FROM millrace_job_groups WHERE name = n.name AND key = n.key OFFSET 0) AS found'

/** A row that was found may be deleted before it is locked: it had no jobs. */
const TRIES = 5

/** A locked row. The database has `stored` until the next `flush`. */
export interface KeyRow {
  readonly name: string
  readonly key: string
  current: GroupRecord
  stored: GroupRecord
  /** The latest `runAt` of the jobs that made room in this commit; null: none did. */
  lastRunAt: number | null
}

export class KeyRows {
  private readonly session: Session
  private readonly byId = new Map<string, KeyRow>()
  /** The last locked key, in the order of all commits. Waiting for one behind it cannot deadlock. */
  private last = ''
  private mayWait = true

  constructor(session: Session) {
    this.session = session
  }

  find(group: JobGroup): KeyRow | undefined {
    return this.byId.get(idOf(group))
  }

  /** Waits for the rows that other transactions hold. `create`: adds the rows that do not exist. */
  async lock(groups: Iterable<JobGroup>, create: boolean): Promise<void> {
    let missing = this.missing(groups)
    for (let tries = 0; missing.length > 0; tries++) {
      if (tries === TRIES) throw new Error('The row of a key was deleted in every try to lock it.')
      await this.read(missing, create, '')
      missing = create ? this.missing(missing) : []
    }
  }

  /** Does not wait where that could deadlock: rows before the last locked one stay unlocked while other transactions hold them. */
  async tryLock(groups: Iterable<JobGroup>, create: boolean): Promise<void> {
    const missing = this.missing(groups)
    const canWait = (group: JobGroup) => this.mayWait && isBefore(this.last, idOf(group))
    const before = missing.filter((group) => !canWait(group))
    const behind = missing.filter(canWait)
    const reads: Promise<void>[] = []
    if (before.length > 0) reads.push(this.read(before, create, 'SKIP LOCKED'))
    if (behind.length > 0) reads.push(this.read(behind, create, ''))
    await Promise.all(reads)
  }

  neverWait(): void {
    this.mayWait = false
  }

  /** Adds a row that a statement has locked. One that was locked before keeps its changes. */
  adopt(record: GroupRecord): KeyRow {
    const known = this.find(record)
    if (known) return known
    const { name, key, pending, processing, blocked, tat, busyUntil, wakeAt, turnSeq, stoppedAt, override } = record
    // Without the columns of the job that were read with it.
    const stored = { name, key, pending, processing, blocked, tat, busyUntil, wakeAt, turnSeq, stoppedAt, override }
    const row = { name, key, current: stored, stored, lastRunAt: null }
    const id = idOf(record)
    this.byId.set(id, row)
    if (isBefore(this.last, id)) this.last = id
    return row
  }

  firstWakeAt(): number | null {
    let first: number | null = null
    for (const { current } of this.byId.values()) first = earliest(first, current.wakeAt)
    return first
  }

  /** Before any statement that reads columns of these rows, and at the end of the commit. */
  flush(): void {
    const written = [...this.byId.values()].filter(({ current, stored }) => !isEqual(current, stored))
    if (written.length === 0) return
    const counted: KeyRow[] = []
    const others: KeyRow[] = []
    for (const row of written) (haveEqualRest(row.current, row.stored) ? counted : others).push(row)
    for (const row of written) row.stored = row.current
    if (counted.length > 0) this.writeCounts(counted)
    if (others.length > 0) this.writeRows(others)
  }

  private writeCounts(rows: readonly KeyRow[]): void {
    this.session.send(
      'group-count',
      `UPDATE millrace_job_groups AS g SET pending = n.pending, processing = n.processing, blocked = n.blocked, updated_at = $6
       FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[]) AS n (name, key, pending, processing, blocked),
         ${FOUND} WHERE g.ctid = found.ctid`,
      [...columns(rows, ({ current: g }) => [g.name, g.key, g.pending, g.processing, g.blocked]), this.session.now],
      rows.length,
    )
  }

  private writeRows(rows: readonly KeyRow[]): void {
    this.session.send(
      'group-write',
      `UPDATE millrace_job_groups AS g SET pending = n.pending, processing = n.processing, blocked = n.blocked, tat = n.tat,
         busy_until = n.busy_until, wake_at = n.wake_at, turn_seq = n.turn_seq, stopped_at = n.stopped_at, override = n.override,
         updated_at = $12
       FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::double precision[], $7::bigint[],
         $8::bigint[], $9::bigint[], $10::bigint[], $11::text[])
         AS n (name, key, pending, processing, blocked, tat, busy_until, wake_at, turn_seq, stopped_at, override),
         ${FOUND} WHERE g.ctid = found.ctid`,
      [
        ...columns(rows, ({ current: g }) => [
          ...[g.name, g.key, g.pending, g.processing, g.blocked, g.tat, g.busyUntil, g.wakeAt, g.turnSeq, g.stoppedAt],
          g.override,
        ]),
        this.session.now,
      ],
      rows.length,
    )
  }

  /** In the order of all commits. */
  private missing(groups: Iterable<JobGroup>): readonly JobGroup[] {
    const missing = new Map<string, JobGroup>()
    for (const group of groups) {
      const id = idOf(group)
      if (!this.byId.has(id)) missing.set(id, group)
    }
    return [...missing].sort(([a], [b]) => (isBefore(a, b) ? -1 : 1)).map(([, group]) => group)
  }

  private async read(groups: readonly JobGroup[], create: boolean, mode: '' | 'SKIP LOCKED'): Promise<void> {
    const keys = columns(groups, ({ name, key }) => [name, key])
    const records = await (create ? this.createThenRead(keys, mode) : this.readLocked(keys, mode))
    for (const record of records) this.adopt(record)
  }

  /** Two statements in one round trip: the second sees the rows that the first has waited for. */
  private async createThenRead(keys: readonly unknown[][], mode: '' | 'SKIP LOCKED'): Promise<readonly GroupRecord[]> {
    const [, records] = await Promise.all([
      this.session.run(
        'group-create',
        `INSERT INTO millrace_job_groups (name, key, updated_at)
         SELECT name, key, $3 FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS k (name, key, place) ORDER BY place
         ON CONFLICT DO NOTHING`,
        [...keys, this.session.now],
      ),
      this.readLocked(keys, mode),
    ])
    return records
  }

  private readLocked(keys: readonly unknown[][], mode: '' | 'SKIP LOCKED'): Promise<GroupRecord[]> {
    return this.session.rows<GroupRecord>(
      mode === '' ? 'group-lock' : 'group-try-lock',
      `SELECT ${GROUP.of('g')}
       FROM (SELECT * FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS k (group_name, group_key, place) ORDER BY place) AS k,
         LATERAL (${keyOfJob('k')} FOR UPDATE ${mode}) AS g`,
      keys,
    )
  }
}

function idOf({ name, key }: JobGroup): string {
  return `${name}\u0000${key}`
}

/** In the order of the bytes, as the collation "C". Only parts of surrogate pairs are ordered otherwise in JavaScript. */
function isBefore(a: string, b: string): boolean {
  return SURROGATE.test(a) || SURROGATE.test(b) ? Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0 : a < b
}

const SURROGATE = /[\ud800-\udfff]/

function isEqual(a: GroupRecord, b: GroupRecord): boolean {
  return a === b || (haveEqualRest(a, b) && areCountsEqual(a, b))
}

function areCountsEqual(a: GroupRecord, b: GroupRecord): boolean {
  return a.pending === b.pending && a.processing === b.processing && a.blocked === b.blocked
}

/** All but the counts, which change most often by far. */
function haveEqualRest(a: GroupRecord, b: GroupRecord): boolean {
  return (
    a.tat === b.tat &&
    a.busyUntil === b.busyUntil &&
    a.wakeAt === b.wakeAt &&
    a.turnSeq === b.turnSeq &&
    a.stoppedAt === b.stoppedAt &&
    a.override === b.override
  )
}

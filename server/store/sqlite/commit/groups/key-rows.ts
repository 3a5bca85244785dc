/** Rows of keys as one commit changes them: read once, kept in memory, written once at its end. */
import type { KeyRules } from '../../../../../shared/groups/rules.ts'
import type { JobGroup } from '../../../decisions/group-of-job.ts'
import { EMPTY_KEY, type KeyState } from '../../../decisions/group-slots.ts'
import { GROUP, type GroupRecord, parseKeyRules, stateOfKey } from '../../../rows/group-rows.ts'
import type { TupleOf } from '../../../rows/tables.ts'
import type { Client } from '../../connection/open.ts'

/** A key that this commit has read. */
export interface KeyEntry extends JobGroup {
  /** null: the key has no row yet. */
  readonly rowid: number | null
  state: KeyState
  wakeAt: number | null
  override: string | null
  /** Parsed from `override`. */
  rules: KeyRules | null
  /** `runAt` of the job that made room last in this commit. */
  lastRunAt: number | null
  /** The row in the table differs. */
  isChanged: boolean
  storedWakeAt: number | null
}

type Kept = Pick<KeyEntry, 'state' | 'wakeAt' | 'override' | 'rules'>
type Wake = JobGroup & { readonly wakeAt: number }
type KeyTuple = [...TupleOf<typeof GROUP>, rowid: number]

const { at } = GROUP
const ROWID_AT = 11

export class KeyRows {
  private readonly select
  private readonly insert
  private readonly update
  private readonly minWake
  private readonly wakes
  private readonly dueWakes
  private readonly aheadWakes
  private entries = new Map<string, KeyEntry>()
  /** What to restore when an operation of this commit is rolled back. */
  private readonly undo: { readonly entry: KeyEntry; readonly before: Kept }[] = []
  /** undefined: must be read. Kept between commits, so that jobs without a group cost no statement. */
  private earliestWake: number | null | undefined

  constructor(client: Client) {
    this.select = client
      .prepare<[name: string, key: string], KeyTuple>(
        `SELECT ${GROUP.names}, rowid FROM millrace_job_groups WHERE name = ? AND key = ?`,
      )
      .raw()
    const values = 'pending, processing, blocked, tat, busy_until, wake_at, turn_seq, stopped_at, override, updated_at'
    this.insert = client.prepare(
      `INSERT INTO millrace_job_groups (${values}, name, key) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    this.update = client.prepare(
      `UPDATE millrace_job_groups SET (${values}) = (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) WHERE rowid = ?`,
    )
    this.minWake = client
      .prepare<[], number | null>('SELECT min(wake_at) FROM millrace_job_groups WHERE wake_at IS NOT NULL')
      .pluck()
    this.wakes = client.prepare<[], Wake>(
      'SELECT name, key, wake_at AS wakeAt FROM millrace_job_groups WHERE wake_at IS NOT NULL ORDER BY wake_at',
    )
    this.aheadWakes = client.prepare<[now: number, now: number, limit: number], JobGroup>(
      'SELECT name, key FROM millrace_job_groups WHERE wake_at > ? AND updated_at > ? LIMIT ? + 0',
    )
    this.dueWakes = client.prepare<[now: number, limit: number], JobGroup>(
      'SELECT name, key FROM millrace_job_groups WHERE wake_at IS NOT NULL AND wake_at <= ? ORDER BY wake_at LIMIT ?',
    )
  }

  begin(): void {
    if (this.entries.size > 0) this.entries = new Map()
    this.undo.length = 0
  }

  /** After a commit of another connection or a rollback. */
  forget(): void {
    this.begin()
    this.earliestWake = undefined
  }

  entry({ name, key }: JobGroup): KeyEntry {
    const id = idOf(name, key)
    const known = this.entries.get(id)
    if (known) return known
    const row = this.select.get(name, key)
    const entry = row ? toEntry(recordOf(row), row[ROWID_AT]) : newEntry(name, key)
    this.entries.set(id, entry)
    return entry
  }

  set(entry: KeyEntry, change: Partial<Kept>): void {
    const { state, wakeAt, override, rules } = entry
    this.undo.push({ entry, before: { state, wakeAt, override, rules } })
    Object.assign(entry, change)
    entry.isChanged = true
  }

  mark(): number {
    return this.undo.length
  }

  /** Returns the keys that a failed operation has changed. */
  rollback(mark: number): readonly KeyEntry[] {
    const undone = this.undo.splice(mark)
    for (const { entry, before } of undone.reverse()) Object.assign(entry, before)
    return undone.map(({ entry }) => entry)
  }

  /** When the first key may hand on without another event. */
  nextWake(): number | null {
    const changed = [...this.entries.values()].filter(({ isChanged }) => isChanged)
    if (changed.length === 0) {
      if (this.earliestWake === undefined) this.earliestWake = this.minWake.get() ?? null
      return this.earliestWake
    }
    const ahead = changed.flatMap(({ wakeAt }) => wakeAt ?? [])
    const stored = this.earliestUnchanged()
    return ahead.length === 0 ? stored : Math.min(stored ?? Number.POSITIVE_INFINITY, ...ahead)
  }

  /** Keys whose next job may become pending now, as the table has them. */
  woken(now: number, limit: number): readonly JobGroup[] {
    return this.dueWakes.all(now, limit)
  }

  /** Keys that were written before the clock was set back to `now`: their wake times may be far ahead. */
  writtenAfter(now: number, limit: number): readonly JobGroup[] {
    return this.aheadWakes.all(now, now, limit)
  }

  /** Only at the end of a commit: no savepoint may roll back what it writes. */
  flush(now: number): void {
    for (const entry of this.entries.values()) if (entry.isChanged) this.write(entry, now)
  }

  /** Rows of changed keys are written later, and their wake times in the table may be old. */
  private earliestUnchanged(): number | null {
    for (const { name, key, wakeAt } of this.wakes.iterate()) {
      if (!this.entries.get(idOf(name, key))?.isChanged) return wakeAt
    }
    return null
  }

  private write(entry: KeyEntry, now: number): void {
    entry.isChanged = false
    if (entry.rowid === null && isEmpty(entry)) return
    const { rowid, name, key, state, wakeAt, override } = entry
    const { pending, processing, blocked, tat, busyUntil, turnSeq, stoppedAt } = state
    const values = [pending, processing, blocked, tat, busyUntil, wakeAt, turnSeq, stoppedAt, override, now] as const
    // A row without jobs may have been trimmed by the same commit.
    const isStored = rowid !== null && this.update.run(...values, rowid).changes === 1
    if (!isStored) this.insert.run(...values, name, key)
    if (wakeAt !== entry.storedWakeAt) this.earliestWake = undefined
  }
}

function idOf(name: string, key: string): string {
  // Neither contains line breaks.
  return `${name}\n${key}`
}

function isEmpty({ state, wakeAt, override }: KeyEntry): boolean {
  const { pending, processing, blocked, tat, busyUntil, turnSeq, stoppedAt } = state
  const isIdle = pending === 0 && processing === 0 && blocked === 0
  return isIdle && [tat, busyUntil, turnSeq, stoppedAt, wakeAt, override].every((value) => value === null)
}

function recordOf(row: KeyTuple): GroupRecord {
  return {
    name: row[at.name],
    key: row[at.key],
    pending: row[at.pending],
    processing: row[at.processing],
    blocked: row[at.blocked],
    tat: row[at.tat],
    busyUntil: row[at.busyUntil],
    wakeAt: row[at.wakeAt],
    turnSeq: row[at.turnSeq],
    stoppedAt: row[at.stoppedAt],
    override: row[at.override],
  }
}

function toEntry(record: GroupRecord, rowid: number): KeyEntry {
  const { name, key, wakeAt, override } = record
  return {
    ...{ rowid, name, key, wakeAt, override, state: stateOfKey(record), rules: parseKeyRules(override) },
    ...{ lastRunAt: null, isChanged: false, storedWakeAt: wakeAt },
  }
}

function newEntry(name: string, key: string): KeyEntry {
  return {
    ...{ rowid: null, name, key, wakeAt: null, override: null, state: EMPTY_KEY, rules: null },
    ...{ lastRunAt: null, isChanged: false, storedWakeAt: null },
  }
}

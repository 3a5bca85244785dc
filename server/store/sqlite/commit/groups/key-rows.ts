/** Rows of keys as commits change them: read once, kept in memory, written once at the end of a commit. */
import type { KeyRules } from '../../../../../shared/groups/rules.ts'
import type { JobGroup } from '../../../decisions/group-of-job.ts'
import { EMPTY_KEY, type KeyState } from '../../../decisions/group-slots.ts'
import { GROUP, parseKeyRules } from '../../../rows/group-rows.ts'
import type { TupleOf } from '../../../rows/tables.ts'
import type { Client } from '../../connection/open.ts'

/** A key that this commit has read. */
export interface KeyEntry extends JobGroup {
  /** null: the key has no row yet. */
  rowid: number | null
  state: KeyState
  wakeAt: number | null
  override: string | null
  /** Parsed from `override`. */
  rules: KeyRules | null
  /** `runAt` of the job that made room last in this commit. */
  lastRunAt: number | null
  /** What the table has; null: no row. */
  stored: Stored | null
}

type Stored = Pick<KeyEntry, 'state' | 'wakeAt' | 'override'>

type Kept = Pick<KeyEntry, 'state' | 'wakeAt' | 'override' | 'rules'>
type Wake = JobGroup & { readonly wakeAt: number }
type KeyTuple = [...TupleOf<typeof GROUP>, rowid: number]

/** Keys kept between commits: most are claimed, completed and handed on soon after one another. */
const MAX_KEPT = 10_000

const { at } = GROUP
const ROWID_AT = 11

export class KeyRows {
  private readonly select
  private readonly insert
  private readonly update
  private readonly updateCounts
  private readonly minWake
  private readonly wakes
  private readonly dueWakes
  private readonly aheadWakes
  private entries = new Map<string, KeyEntry>()
  /** Keys whose rows in the table differ. */
  private readonly changed = new Set<KeyEntry>()
  /** This commit has begun an operation that can be rolled back. */
  private isMarked = false
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
      `UPDATE millrace_job_groups SET (${values}) = (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) WHERE rowid = ? AND key = ? AND name = ?`,
    )
    // The usual change: without wake_at in the statement, SQLite leaves its index alone.
    this.updateCounts = client.prepare(
      `UPDATE millrace_job_groups SET pending = ?, processing = ?, blocked = ?, tat = ?, updated_at = ?
       WHERE rowid = ? AND key = ? AND name = ?`,
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
    if (this.entries.size > MAX_KEPT) this.entries = new Map()
    this.undo.length = 0
    this.isMarked = false
  }

  /** After a commit of another connection or a rollback. */
  forget(): void {
    this.entries = new Map()
    this.changed.clear()
    this.begin()
    this.earliestWake = undefined
  }

  entry({ name, key }: JobGroup): KeyEntry {
    const id = idOf(name, key)
    const known = this.entries.get(id)
    if (known) return known
    const row = this.select.get(name, key)
    const entry = row ? toEntry(row) : newEntry(name, key)
    this.entries.set(id, entry)
    return entry
  }

  set(entry: KeyEntry, change: Partial<Kept>): void {
    if (this.isMarked) {
      const { state, wakeAt, override, rules } = entry
      this.undo.push({ entry, before: { state, wakeAt, override, rules } })
    }
    Object.assign(entry, change)
    this.changed.add(entry)
  }

  /** The change of nearly every job. */
  setState(entry: KeyEntry, state: KeyState): void {
    if (this.isMarked) this.set(entry, { state })
    else {
      entry.state = state
      this.changed.add(entry)
    }
  }

  mark(): number {
    this.isMarked = true
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
    if (this.changed.size === 0) {
      if (this.earliestWake === undefined) this.earliestWake = this.minWake.get() ?? null
      return this.earliestWake
    }
    const ahead = [...this.changed].flatMap(({ wakeAt }) => wakeAt ?? [])
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
    for (const entry of this.changed) this.write(entry, now)
    this.changed.clear()
  }

  /** Rows of changed keys are written later, and their wake times in the table may be old. */
  private earliestUnchanged(): number | null {
    for (const { name, key, wakeAt } of this.wakes.iterate()) {
      const entry = this.entries.get(idOf(name, key))
      if (!entry || !this.changed.has(entry)) return wakeAt
    }
    return null
  }

  private write(entry: KeyEntry, now: number): void {
    const { name, key, state, wakeAt, override, stored } = entry
    entry.lastRunAt = null
    if (stored === null && isEmpty(entry)) return
    const { pending, processing, blocked, tat, busyUntil, turnSeq, stoppedAt } = state
    const values = [pending, processing, blocked, tat, busyUntil, wakeAt, turnSeq, stoppedAt, override, now] as const
    const { rowid } = entry
    const { changes } =
      stored && onlyCounts(entry, stored)
        ? this.updateCounts.run(pending, processing, blocked, tat, now, rowid, key, name)
        : this.update.run(...values, rowid, key, name)
    // No row, or one that was trimmed while it had no jobs.
    if (changes === 0) entry.rowid = Number(this.insert.run(...values, name, key).lastInsertRowid)
    if (wakeAt !== (stored?.wakeAt ?? null)) this.earliestWake = undefined
    entry.stored = { state, wakeAt, override }
  }
}

function onlyCounts({ state, wakeAt, override }: KeyEntry, stored: Stored): boolean {
  const { busyUntil, turnSeq, stoppedAt } = stored.state
  if (wakeAt !== stored.wakeAt || override !== stored.override) return false
  return state.busyUntil === busyUntil && state.turnSeq === turnSeq && state.stoppedAt === stoppedAt
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

function toEntry(row: KeyTuple): KeyEntry {
  const override = row[at.override]
  const wakeAt = row[at.wakeAt]
  const state: KeyState = {
    pending: row[at.pending],
    processing: row[at.processing],
    blocked: row[at.blocked],
    tat: row[at.tat],
    busyUntil: row[at.busyUntil],
    turnSeq: row[at.turnSeq],
    stoppedAt: row[at.stoppedAt],
  }
  return {
    rowid: row[ROWID_AT],
    name: row[at.name],
    key: row[at.key],
    state,
    wakeAt,
    override,
    rules: parseKeyRules(override),
    lastRunAt: null,
    stored: { state, wakeAt, override },
  }
}

function newEntry(name: string, key: string): KeyEntry {
  return {
    rowid: null,
    name,
    key,
    state: EMPTY_KEY,
    wakeAt: null,
    override: null,
    rules: null,
    lastRunAt: null,
    stored: null,
  }
}

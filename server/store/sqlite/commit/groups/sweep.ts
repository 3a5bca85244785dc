/** A pass over all keys after rules changed: admits jobs where there is room now, and blocks those of paused keys. */
import { mustWithdraw, nextWake, placesLeft } from '../../../decisions/group-admission.ts'
import type { OpOf, OpValue } from '../../../ops.ts'
import { GROUP, type GroupRecord, parseKeyRules, stateOfKey } from '../../../rows/group-rows.ts'
import type { Client } from '../../connection/open.ts'
import type { Groups } from './groups.ts'

/** Less than any name. */
const START = { name: '', key: '' }

export class Sweep {
  private readonly groups: Groups
  private readonly after
  /** The last key of the step before. Callers repeat the operation until no keys are left. */
  private last = START

  constructor(client: Client, groups: Groups) {
    this.groups = groups
    this.after = client.prepare<[name: string, key: string, limit: number], GroupRecord>(
      `SELECT ${GROUP.list} FROM millrace_job_groups WHERE (name, key) > (?, ?) ORDER BY name, key LIMIT ? + 0`,
    )
  }

  /** Rules changed: keys that this pass has seen already are looked at again. */
  restart(): void {
    this.last = START
  }

  step({ limit }: OpOf<'admitBlocked'>, now: number): OpValue<'admitBlocked'> {
    const rows = this.after.all(this.last.name, this.last.key, limit)
    for (const row of rows) if (this.concerns(row, now)) this.groups.touch(row)
    this.groups.handOn(now)
    // What did not fit into this commit has its wake time now.
    const more = rows.length === limit
    this.last = more ? (rows.at(-1) ?? START) : START
    return { more }
  }

  private concerns(row: GroupRecord, now: number): boolean {
    const rules = this.groups.rulesOf({ name: row.name, rules: parseKeyRules(row.override) })
    const state = stateOfKey(row)
    // Most keys wait for a job of theirs, and are left alone.
    return (
      placesLeft(state, rules, now, 1) > 0 ||
      mustWithdraw(state, rules, now) ||
      nextWake(state, rules, now, false) !== row.wakeAt
    )
  }
}

/** SQL of the unfinished jobs of one key. */
import { endOfLine } from '../../../decisions/group-admission.ts'
import type { JobGroup } from '../../../decisions/group-of-job.ts'
import { columnsOf, type RowOf } from '../../../rows/tables.ts'
import type { Client } from '../../connection/open.ts'
import type { Ledger } from '../ledger.ts'

const KEY_JOB = columnsOf('jobs', ['seq', 'id', 'type'])
type KeyJob = RowOf<typeof KEY_JOB>
type OfKey = [name: string, key: string, limit: number]

/** Must be spelt exactly like the condition of the partial index millrace_jobs_group, or SQLite does not use it. */
export const IS_UNFINISHED = 'group_key IS NOT NULL AND finished_at IS NULL'

export class KeyJobs {
  private readonly ledger: Ledger
  private readonly firstBlocked
  private readonly blockedBySeq
  private readonly selectPending
  private readonly setPending
  private readonly setBlocked

  constructor(client: Client, ledger: Ledger) {
    this.ledger = ledger
    const select = `SELECT ${KEY_JOB.list} FROM millrace_jobs`
    // Not `LIMIT ?`: SQLite would prepare such a statement again at each call.
    this.firstBlocked = client.prepare<OfKey, KeyJob>(
      `${select} WHERE group_name = ? AND group_key = ? AND status = 'blocked' ORDER BY priority DESC, run_at, seq LIMIT ? + 0`,
    )
    this.blockedBySeq = client.prepare<[seq: number], KeyJob>(`${select} WHERE seq = ? AND status = 'blocked'`)
    this.selectPending = client.prepare<OfKey, KeyJob>(
      `${select} WHERE group_name = ? AND group_key = ? AND ${IS_UNFINISHED} AND status = 'pending' ORDER BY seq LIMIT ? + 0`,
    )
    this.setPending = client.prepare(
      `UPDATE millrace_jobs SET status = 'pending', run_at = ?, updated_at = ? WHERE seq = ? AND status = 'blocked'`,
    )
    this.setBlocked = client.prepare(
      `UPDATE millrace_jobs SET status = 'blocked', run_at = min(run_at, created_at), updated_at = ?
       WHERE seq = ? AND status = 'pending'`,
    )
  }

  /** The blocked jobs that are next in line. `turn`: the only job that may follow in strict order. */
  next({ name, key }: JobGroup, turn: number | null, limit: number): readonly KeyJob[] {
    return turn === null ? this.firstBlocked.all(name, key, limit) : this.blockedBySeq.all(turn)
  }

  pending({ name, key }: JobGroup, limit: number): readonly KeyJob[] {
    return this.selectPending.all(name, key, limit)
  }

  /** At the end of the line, which makes a round robin between keys. */
  admit({ seq, id, type }: KeyJob, lastRunAt: number | null, now: number): void {
    this.setPending.run(endOfLine(lastRunAt, now), now, seq)
    this.ledger.record({ id, type, from: 'blocked', to: 'pending' })
  }

  /** Before those that it was handed on before: the hand-on had put it at the end of the line of its type. */
  block({ seq, id, type }: KeyJob, now: number): void {
    this.setBlocked.run(now, seq)
    this.ledger.record({ id, type, from: 'pending', to: 'blocked' })
  }
}

/** SQL for jobs with crashes (suspects): pending suspects, lease holders, unconfirmed claims. */
import { type HolderRow, MAX_SUSPECTS, type Suspect } from '../../decisions/isolation.ts'
import type { Row } from '../../rows/tables.ts'
import type { Client } from '../connection/open.ts'
import { CANDIDATE, type CandidateTuple } from './candidates.ts'

/** Must be spelt exactly like the condition of the partial index, or SQLite does not use it. */
const SUSPECT = `crashes > 0 AND face <> 'messages' AND finished_at IS NULL`

export class Suspects {
  private readonly selectAny
  private readonly selectTypes
  private readonly selectPending
  private readonly selectHolders
  private readonly countUnconfirmed

  constructor(client: Client) {
    // 1.3 µs per commit while no job has crashes, measured with 100,000 pending jobs in memory.
    this.selectAny = client
      .prepare<[], 1>(
        `SELECT 1 FROM millrace_jobs INDEXED BY millrace_jobs_suspects
         WHERE ${SUSPECT} AND (status = 'pending' OR status = 'processing') LIMIT 1`,
      )
      .pluck()
    this.selectTypes = client
      .prepare<[], Row<'jobs'>['type']>(
        `SELECT DISTINCT type FROM millrace_jobs INDEXED BY millrace_jobs_suspects WHERE ${SUSPECT} AND status = 'pending'`,
      )
      .pluck()
    this.selectPending = client
      .prepare<[type: string, now: number], CandidateTuple>(
        `SELECT ${CANDIDATE.names} FROM millrace_jobs INDEXED BY millrace_jobs_suspects
         WHERE ${SUSPECT} AND status = 'pending' AND type = ? AND (expires_at IS NULL OR expires_at > ?)
         ORDER BY priority DESC, run_at, seq LIMIT ${MAX_SUSPECTS}`,
      )
      .raw()
    // A process with the name of an earlier process holds none of the leases from before it was first seen.
    this.selectHolders = client.prepare<[], { holder: string; suspects: number }>(
      `SELECT iif(j.started_at < w.started_at, j.locked_by, coalesce(w.process, j.locked_by)) AS holder,
         sum(j.crashes > 0 AND j.face <> 'messages') AS suspects
       FROM millrace_jobs AS j LEFT JOIN millrace_workers AS w ON w.name = j.locked_by WHERE j.status = 'processing' GROUP BY 1`,
    )
    this.countUnconfirmed = client.prepare<[number]>(
      'UPDATE millrace_jobs SET unconfirmed_claims = unconfirmed_claims + 1 WHERE seq = ?',
    )
  }

  exist(): boolean {
    return this.selectAny.get() !== undefined
  }

  /** The first suspects of each type. */
  pending(now: number): Suspect[] {
    const found: Suspect[] = []
    for (const type of this.selectTypes.all())
      for (const candidate of this.selectPending.all(type, now)) found.push({ type, candidate })
    return found
  }

  holders(): HolderRow[] {
    return this.selectHolders.all().map(({ holder, suspects }) => ({ holder, holdsSuspect: suspects > 0 }))
  }

  /** A claim counts as unconfirmed until the first call of its worker. */
  unconfirmed(seq: number): void {
    this.countUnconfirmed.run(seq)
  }
}

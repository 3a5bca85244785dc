/** Jobs with crashes as claims see them: which wait, who holds leases, and how a claim of one is noted. */
import { type HolderRow, MAX_SUSPECTS, type Suspect } from '../../isolation.ts'
import type { Client } from '../connection/open.ts'

/** The condition of the partial index, word for word, so that SQLite uses it. */
const SUSPECT = `crashes > 0 AND face <> 'messages' AND finished_at IS NULL`

export class Suspects {
  private readonly anyOf
  private readonly selectTypes
  private readonly selectPending
  private readonly selectHolders
  private readonly noteClaim

  constructor(client: Client) {
    // 1.3 µs in a commit as long as no job has crashes, measured over 100,000 pending jobs in memory.
    this.anyOf = client
      .prepare<[], 1>(
        `SELECT 1 FROM millrace_jobs INDEXED BY millrace_jobs_suspects
         WHERE ${SUSPECT} AND (status = 'pending' OR status = 'processing') LIMIT 1`,
      )
      .pluck()
    this.selectTypes = client
      .prepare<[], string>(
        `SELECT DISTINCT type FROM millrace_jobs INDEXED BY millrace_jobs_suspects WHERE ${SUSPECT} AND status = 'pending'`,
      )
      .pluck()
    this.selectPending = client
      .prepare<[string, number], [seq: number, priority: number, runAt: number]>(
        `SELECT seq, priority, run_at FROM millrace_jobs INDEXED BY millrace_jobs_suspects
         WHERE ${SUSPECT} AND status = 'pending' AND type = ? AND (expires_at IS NULL OR expires_at > ?)
         ORDER BY priority DESC, run_at, seq LIMIT ${MAX_SUSPECTS}`,
      )
      .raw()
    // A process that has the name of an earlier one holds none of the leases from before it was first seen.
    this.selectHolders = client.prepare<[], { holder: string; suspects: number }>(
      `SELECT iif(j.started_at < w.started_at, j.locked_by, coalesce(w.process, j.locked_by)) AS holder,
         sum(j.crashes > 0 AND j.face <> 'messages') AS suspects
       FROM millrace_jobs AS j LEFT JOIN millrace_workers AS w ON w.name = j.locked_by WHERE j.status = 'processing' GROUP BY 1`,
    )
    this.noteClaim = client.prepare<[number]>(
      'UPDATE millrace_jobs SET unconfirmed_claims = unconfirmed_claims + 1 WHERE seq = ?',
    )
  }

  exist(): boolean {
    return this.anyOf.get() !== undefined
  }

  /** The first of each type. */
  pending(now: number): Suspect[] {
    const found: Suspect[] = []
    for (const type of this.selectTypes.all())
      for (const head of this.selectPending.all(type, now)) found.push({ type, head })
    return found
  }

  holders(): HolderRow[] {
    return this.selectHolders.all().map(({ holder, suspects }) => ({ holder, holdsSuspect: suspects > 0 }))
  }

  /** Until the first call of its worker. */
  unconfirmed(seq: number): void {
    this.noteClaim.run(seq)
  }
}

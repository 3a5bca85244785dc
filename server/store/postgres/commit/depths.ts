/** Records the number of jobs per type at the end of a minute. */
import type { OpOf } from '../../ops.ts'
import { columns, type Session } from '../connection/session.ts'

export class Depths {
  private readonly session: Session

  constructor(session: Session) {
    this.session = session
  }

  async record({ minute, depths }: OpOf<'recordDepths'>): Promise<null> {
    if (depths.length === 0) return null
    await this.session.run(
      'record-depths',
      `INSERT INTO millrace_job_depths (minute, type, ready, backlog)
       SELECT $1, * FROM unnest($2::text[], $3::bigint[], $4::bigint[])
       ON CONFLICT (minute, type) DO UPDATE SET ready = excluded.ready, backlog = excluded.backlog`,
      [minute, ...columns(depths, ({ type, ready, backlog }) => [type, ready, backlog])],
    )
    return null
  }
}

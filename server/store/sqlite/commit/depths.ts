/** Records the number of jobs per type at the end of a minute. */
import type { OpOf } from '../../ops.ts'
import type { Client } from '../connection/open.ts'

export class Depths {
  private readonly write

  constructor(client: Client) {
    this.write = client.prepare<[number, string, number, number]>(
      `INSERT INTO millrace_job_depths (minute, type, ready, backlog) VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET ready = excluded.ready, backlog = excluded.backlog`,
    )
  }

  record({ minute, depths }: OpOf<'recordDepths'>): null {
    for (const { type, ready, backlog } of depths) this.write.run(minute, type, ready, backlog)
    return null
  }
}

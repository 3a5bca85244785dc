/** The limit of PostgreSQL with group commit: all operations of one event-loop turn in one statement, two in flight. */
import { Client } from 'pg'
import { uuidv7 } from 'uuidv7'
import { RESULT_TEXT } from '../../engine/callers.ts'
import { TABLE } from '../../postgres/bare-statements.ts'
import type { RawJob, RawQueue } from './group-commit.ts'
import { type BatchRow, batchStatement, type Finished, type Stored } from './postgres-batch.ts'

/** As many as the requests of the network limit: one commits while the next one is built. */
const IN_FLIGHT = 2
/** A plan that is chosen while the table is empty would later read all of it. */
const BY_INDEX = '-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off'

interface Write {
  readonly stored: readonly Stored[]
  readonly finished: readonly Finished[]
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

interface Claim {
  readonly type: string
  readonly limit: number
  readonly resolve: (jobs: readonly RawJob[]) => void
  readonly reject: (error: unknown) => void
}

export class PostgresCommit implements RawQueue {
  private readonly idle: Client[]
  private readonly reader: Client
  private writes: Write[] = []
  private claims: Claim[] = []
  /** Claims that found nothing, until jobs are stored. */
  private waiting: Claim[] = []
  /** Statements that stored jobs. */
  private storedCount = 0
  private isScheduled = false

  private constructor(clients: Client[], reader: Client) {
    this.idle = clients
    this.reader = reader
  }

  static async open(url: string): Promise<PostgresCommit> {
    const reader = new Client({ connectionString: url })
    const clients = Array.from({ length: IN_FLIGHT }, () => new Client({ connectionString: url, options: BY_INDEX }))
    await Promise.all([reader, ...clients].map((client) => client.connect()))
    await reader.query(TABLE)
    return new PostgresCommit(clients, reader)
  }

  async enqueue(type: string, payloads: readonly unknown[]): Promise<readonly string[]> {
    const stored = payloads.map((payload) => ({ id: uuidv7(), type, payload: JSON.stringify(payload) }))
    await this.write(stored, [])
    return stored.map(({ id }) => id)
  }

  claim(type: string, limit: number): Promise<readonly RawJob[]> {
    return new Promise((resolve, reject) => {
      this.claims.push({ type, limit, resolve, reject })
      this.schedule()
    })
  }

  complete({ id, version }: RawJob): Promise<void> {
    return this.write([], [{ id, version, result: RESULT_TEXT }])
  }

  async left(type: string): Promise<number> {
    const { rows } = await this.reader.query<{ readonly jobs: number }>(
      `SELECT count(*)::int AS jobs FROM jobs WHERE type = $1 AND status <> 'completed'`,
      [type],
    )
    return rows[0]?.jobs ?? 0
  }

  /** When nothing is in flight. */
  async close(): Promise<void> {
    await Promise.all([this.reader, ...this.idle].map((client) => client.end()))
  }

  private write(stored: readonly Stored[], finished: readonly Finished[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.writes.push({ stored, finished, resolve, reject })
      this.schedule()
    })
  }

  private schedule(): void {
    if (this.isScheduled || this.idle.length === 0 || this.writes.length + this.claims.length === 0) return
    this.isScheduled = true
    setImmediate(() => {
      this.isScheduled = false
      const client = this.idle.pop()
      if (client) void this.flush(client)
    })
  }

  private async flush(client: Client): Promise<void> {
    const { writes, claims, storedCount } = this
    this.writes = []
    this.claims = []
    try {
      const stored = writes.flatMap((write) => write.stored)
      const finished = writes.flatMap((write) => write.finished)
      const statement = batchStatement({ stored, finished, type: claims[0]?.type, limit: limitOf(claims) })
      const { rows } = await client.query<BatchRow>(statement)
      if (rows[0]?.finished !== finished.length) throw new Error('A completed job is not claimed.')
      if (stored.length > 0) this.storedCount += 1
      for (const { resolve } of writes) resolve()
      this.deliver(claims, jobsOf(rows), storedCount)
    } catch (error) {
      for (const { reject } of [...writes, ...claims]) reject(error)
    }
    this.idle.push(client)
    this.schedule()
  }

  /** `storedBefore`: jobs that were stored later are not among those that the statement could see. */
  private deliver(claims: readonly Claim[], jobs: RawJob[], storedBefore: number): void {
    for (const claim of claims) {
      const taken = jobs.splice(0, claim.limit)
      if (taken.length > 0) claim.resolve(taken)
      else this.waiting.push(claim)
    }
    if (this.storedCount === storedBefore) return
    this.claims.push(...this.waiting.splice(0))
  }
}

/** All claims have the same type. */
function limitOf(claims: readonly Claim[]): number {
  return claims.reduce((sum, { limit }) => sum + limit, 0)
}

function jobsOf(rows: readonly BatchRow[]): RawJob[] {
  return rows.flatMap(({ id, version, payload }) =>
    id === null ? [] : [{ id, version: Number(version), payload: JSON.parse(payload) }],
  )
}

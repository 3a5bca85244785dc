/** The limit of SQLite with group commit: all operations of one event-loop turn share one transaction and one fsync. */
import { uuidv7 } from 'uuidv7'
import { RESULT_TEXT } from '../../engine/callers.ts'
import { type Claimed, type LimitStatements, openLimitStatements } from '../../engine/limit-statements.ts'

const LEASE_MS = 30_000

export interface RawJob {
  readonly id: string
  readonly version: number
  readonly payload: unknown
}

/** The operations of a queue without checks, retries, counters or events. */
export interface RawQueue {
  enqueue(type: string, payloads: readonly unknown[]): Promise<readonly string[]>
  /** Waits until there is at least one job. */
  claim(type: string, limit: number): Promise<readonly RawJob[]>
  complete(job: RawJob): Promise<void>
  /** Number of jobs that are not completed. */
  left(type: string): Promise<number>
}

interface Claim {
  readonly type: string
  readonly limit: number
  readonly waits: boolean
  readonly resolve: (jobs: readonly RawJob[]) => void
}

interface Write {
  run(): void
  resolve(): void
}

export class GroupCommit implements RawQueue {
  private readonly sql: LimitStatements
  private writes: Write[] = []
  private claims: Claim[] = []
  private waiting: Claim[] = []
  private isScheduled = false

  constructor(file: string) {
    this.sql = openLimitStatements(file)
  }

  enqueue(type: string, payloads: readonly unknown[]): Promise<readonly string[]> {
    const jobs = payloads.map((payload) => ({ id: uuidv7(), text: JSON.stringify(payload) }))
    return new Promise((resolve) => {
      const run = () => {
        const now = Date.now()
        for (const { id, text } of jobs) this.sql.insert.run(id, type, text, now)
      }
      this.write({ run, resolve: () => resolve(jobs.map(({ id }) => id)) })
    })
  }

  claim(type: string, limit: number): Promise<readonly RawJob[]> {
    return this.take(type, limit, true)
  }

  /** Returns nothing if there is no job. */
  claimNow(type: string, limit: number): Promise<readonly RawJob[]> {
    return this.take(type, limit, false)
  }

  complete({ id, version }: RawJob): Promise<void> {
    return new Promise((resolve) => {
      const run = () => {
        if (this.sql.complete.run(RESULT_TEXT, id, version).changes !== 1) throw new Error(`Job ${id} is not claimed.`)
      }
      this.write({ run, resolve })
    })
  }

  async left(type: string): Promise<number> {
    return this.sql.left.get(type)?.jobs ?? 0
  }

  close(): void {
    this.sql.close()
  }

  private take(type: string, limit: number, waits: boolean): Promise<readonly RawJob[]> {
    return new Promise((resolve) => {
      this.claims.push({ type, limit, waits, resolve })
      this.schedule()
    })
  }

  private write(write: Write): void {
    this.writes.push(write)
    this.schedule()
  }

  private schedule(): void {
    if (this.isScheduled) return
    this.isScheduled = true
    setImmediate(() => this.flush())
  }

  private flush(): void {
    const { writes, sql } = this
    const claims = [...this.waiting, ...this.claims]
    this.writes = []
    this.claims = []
    this.waiting = []
    this.isScheduled = false
    sql.begin.run()
    for (const write of writes) write.run()
    const taken = this.takeFor(claims)
    sql.commit.run()
    for (const write of writes) write.resolve()
    for (const claim of claims) {
      const jobs = taken.get(claim.type)?.splice(0, claim.limit) ?? []
      if (jobs.length === 0 && claim.waits) this.waiting.push(claim)
      else claim.resolve(jobs.map(({ id, version, payload }) => ({ id, version, payload: JSON.parse(payload) })))
    }
  }

  /** One search per type for all claims, which share what it finds in their order. */
  private takeFor(claims: readonly Claim[]): ReadonlyMap<string, Claimed[]> {
    const limits = new Map<string, number>()
    for (const { type, limit } of claims) limits.set(type, (limits.get(type) ?? 0) + limit)
    const leaseUntil = Date.now() + LEASE_MS
    return new Map(
      [...limits].map(([type, limit]) => {
        const claimed = this.sql.heads.all(type, limit)
        for (const { seq } of claimed) this.sql.take.run(leaseUntil, 'worker', seq)
        return [type, claimed]
      }),
    )
  }
}

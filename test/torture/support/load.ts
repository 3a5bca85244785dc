/** Producers and workers over HTTP at full speed, recording acknowledgements. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ClaimedJob } from '../../../server/index.ts'
import type { History } from './history.ts'
import { type Api, type Caller, refusalOf } from './line.ts'

const PRODUCERS = 32
const WORKERS = 16
/** Producers pause when this many jobs wait, so that the last worker does not take too long. */
const MAX_BACKLOG = 1_000
const REST_MS = 5
/** One in so many first claims is held back: its worker settles it after another worker has the job. */
const LAID_ASIDE = 10
/** One in so many responses is dropped, because kills rarely hit between commit and response. */
const LOST_ANSWERS = 20
export const TYPE = 'crash'
export const LEASE_MS = 1_000

export interface LoadParts {
  readonly line: Caller
  readonly history: History
  readonly random: () => number
}

export type Claim = Pick<ClaimedJob, 'id' | 'version'>

export class Load {
  /** Claims that were held back, by job. */
  readonly laidAside = new Map<string, Claim>()
  private readonly parts: LoadParts
  private readonly running: Promise<unknown>
  private ending = false
  private keys = 0

  constructor(parts: LoadParts) {
    this.parts = parts
    this.running = Promise.all([
      ...Array.from({ length: PRODUCERS }, () => this.produce()),
      ...Array.from({ length: WORKERS }, (_, n) => this.work(`w${n}`, n)),
    ])
    // Rethrown by `end`; avoids an unhandled rejection until then.
    this.running.catch(() => {})
  }

  /** Resolves when this many jobs are finished; throws the error that stopped the load before. */
  async finished(count: number): Promise<void> {
    let stopped = false
    const watching = async () => {
      while (!stopped && this.parts.history.finished.size < count) await sleep(REST_MS)
    }
    await Promise.race([watching(), this.running]).finally(() => {
      stopped = true
    })
  }

  /** Waits until all callers have finished their current calls, across restarts. */
  async end(): Promise<void> {
    this.ending = true
    await this.running
  }

  private async produce(): Promise<void> {
    const { history } = this.parts
    while (!this.ending) {
      const key = `key${this.keys++}`
      history.intended.add(key)
      const job = { type: TYPE, payload: { key }, dedupeKey: key, maxAttempts: 1_000 }
      const { id } = await this.ask((api) => api.enqueue.mutate(job))
      history.stored.set(key, id)
      while (!this.ending && history.stored.size - history.finished.size > MAX_BACKLOG) await sleep(REST_MS)
    }
  }

  /** Half of the workers use claim and complete, the others exchange. Every second one has its own name. */
  private async work(worker: string, number: number): Promise<void> {
    const { history } = this.parts
    let mine: readonly Claim[] = []
    for (let turn = 0; !this.ending || mine.length > 0; turn++) {
      const claim = {
        types: [TYPE],
        limit: 3,
        waitMs: 1_000,
        leaseMs: LEASE_MS,
        ...(number % 2 === 0 ? { requestId: `${worker}-${turn}` } : {}),
      }
      const more = this.ending ? {} : { claim }
      for (const { id, version } of mine) history.finishing.add(`${id} ${version}`)
      if (number < WORKERS / 2) {
        await Promise.all(mine.map((one) => this.complete(one)))
        mine = this.ending ? [] : this.take(await this.ask((api) => api.claim.mutate({ worker, ...claim })))
      } else {
        const settle = mine.map(({ id, version }) => ({ kind: 'complete' as const, id, version }))
        const { settled, jobs } = await this.ask((api) => api.exchange.mutate({ worker, settle, ...more }))
        for (const one of settled) {
          if (one.ok) history.finished.add(`${one.value.id} ${one.value.version}`)
          else if (one.error.code !== 'STALE_CLAIM') throw new Error(one.error.message)
        }
        mine = this.take(jobs)
      }
    }
  }

  /** Returns whether it was recorded. STALE_CLAIM is allowed after a lease that expired during an outage. */
  async complete({ id, version }: Claim): Promise<boolean> {
    const { history } = this.parts
    try {
      await this.ask((api) => api.complete.mutate({ id, version, result: { by: version } }))
      history.finished.add(`${id} ${version}`)
      return true
    } catch (error) {
      if (refusalOf(error) !== 'STALE_CLAIM') throw error
      return false
    }
  }

  /** Retries a call without a response. */
  private async ask<Answer>(call: (api: Api) => Promise<Answer>): Promise<Answer> {
    const { line, random } = this.parts
    const answer = await line.insist(call)
    return random() * LOST_ANSWERS > 1 ? answer : line.insist(call)
  }

  private take(jobs: readonly Claim[]): readonly Claim[] {
    const { history, random } = this.parts
    return jobs.filter((job) => {
      history.claimed.add(`${job.id} ${job.version}`)
      if (job.version > 1 || random() * LAID_ASIDE > 1) return true
      this.laidAside.set(job.id, job)
      return false
    })
  }
}

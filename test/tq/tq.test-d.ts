/** Type tests of `tq`: tsc fails when an expected error is missing. Nothing here runs. */
import type BetterSqlite from 'better-sqlite3'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import {
  createTq,
  type EnqueueOptions,
  type ListFilters,
  type QueueStats,
  type Task,
  type TaskHandler,
  type TaskQueueOptions,
  type TaskTypeContext,
  type TQ,
  type Tq,
  tq,
} from '../../server/sdk/entries/tq.ts'

interface CrawlPayload {
  url: string
  depth?: number
}

interface Handles {
  readonly db: BetterSqlite.Database
  readonly drizzleDb: BetterSQLite3Database<{ orders: object }>
}

declare function crawl(url: string): Promise<{ pages: number }>

/** The calls of the specification. */
export function specification({ db }: Handles): void {
  tq.init({ db, pollInterval: 1000 })

  tq<CrawlPayload>('crawl')
    .setWorker(async (payload) => {
      const shout: string = payload.url.toUpperCase()
      void shout
    })
    .add({ url: '/start' })

  tq<CrawlPayload>('crawl')
    // @ts-expect-error
    .add({ address: '/start' })

  tq<CrawlPayload>('crawl')
    .setWorker(async (payload) => await crawl(payload.url))
    .setWorkerCount(3)
    .setRateLimit(10)
    .setTimeout(300)

  tq('crawl').add({ url: '/1' }).add({ url: '/2' })
  tq('letter').add({ to: 'grace' }, { run_after: new Date('2125-12-31') })
  tq('letter').add({ to: 'grace' }, { run_after: 4_102_444_800 })
  tq.pause()
  tq.resume()
  const stats = tq.stats()
  void [stats, tq.stop()]
}

export async function answers({ db, drizzleDb }: Handles): Promise<void> {
  const here: Tq<QueueStats> = tq.init({ db })
  const there: Tq<Promise<QueueStats>> = tq.init({ url: 'postgres://…', token: 'secret' })
  const waiting: number = here.stats()['to-do']
  const failed: number | undefined = createTq({ db: drizzleDb }).stats().byType.mail?.failed
  const done: number = (await there.stats()).success
  const either: QueueStats = await tq.stats()
  // @ts-expect-error with { url } it is a promise
  there.stats()['to-do']
  // The global tq has the type for `{ db }`. With `{ url }` reading a count without `await` throws.
  const global: number = tq.stats()['to-do']
  // @ts-expect-error no such status
  here.stats().completed
  void [waiting, failed, done, either, global]
}

export function handlers(): void {
  tq<CrawlPayload, { pages: number }>('crawl').setWorker(async ({ url }, { id, version, signal, progress, log }) => {
    progress(50)
    log(`${id} ${version} ${signal.aborted}`)
    return crawl(url)
  })
  // @ts-expect-error wrong result type
  tq<CrawlPayload, { pages: number }>('crawl').setWorker(() => 'done')
  // @ts-expect-error no such property of the payload
  tq<CrawlPayload>('crawl').setWorker(({ uri }) => uri)
  // Without a type parameter payloads are not checked.
  tq('crawl').setWorker((payload) => payload.url)
  tq('crawl').setWorker((payload, job) => [payload, job.attempt])
  const handler: TaskHandler<CrawlPayload> = ({ url }, job) => `${url} ${job.payload.depth}`
  tq<CrawlPayload>('crawl').setWorker(handler)
  // @ts-expect-error handler of another payload type
  tq<{ to: string }>('mail').setWorker(handler)
}

/** The type names of the specification, as a program uses them. */
export function names({ db }: Handles): void {
  const options: TaskQueueOptions = { db, pollInterval: 1000, batchSize: 10, taskTimeout: 300 }
  const queue: TQ = tq
  const mail: TaskTypeContext = queue('send_email')
  const crawling: TaskTypeContext<CrawlPayload> = queue<CrawlPayload>('crawl')
  const untyped: TaskHandler = async (payload) => payload.anything.at.all
  const later: EnqueueOptions = { run_after: new Date('2030-01-01') }
  const failed: ListFilters = { type: 'crawl', status: ['failed', 'to-do'], limit: 50, offset: 0 }
  const one: ListFilters = { status: 'failed' }
  const stats = queue.stats()
  const count: number = stats.success + stats['in-progress'] + (stats.byType.crawl?.failed ?? 0)
  const shown = ({ id, status, run_after, completed_at }: Task): unknown[] => [id, status, run_after, completed_at]
  crawling.setWorker(async ({ url }) => crawl(url)).add({ url: '/' }, later)
  mail.setWorker(untyped).add({ to: 'ada' }, later)
  // @ts-expect-error a status is one of four words
  const wrongStatus: ListFilters = { status: 'completed' }
  void [options, failed, one, count, shown, wrongStatus]
}

export function wrong({ db }: Handles): void {
  // @ts-expect-error part of the payload is missing
  tq<CrawlPayload>('crawl').add({})
  // @ts-expect-error it is of another type
  tq<CrawlPayload>('crawl').add({ url: 1 })
  // @ts-expect-error there is no such option
  tq('crawl').add({}, { runAfter: new Date() })
  // @ts-expect-error a time is a date or seconds
  tq('crawl').add({}, { run_after: '2025-12-31' })
  // @ts-expect-error the type name comes first
  tq<CrawlPayload>().add({ url: '' })
  // @ts-expect-error init needs db or url
  tq.init({})
  // @ts-expect-error a path is no database
  tq.init({ db: './app.db' })
  // @ts-expect-error there is no such option
  tq.init({ db, interval: 1000 })
  // @ts-expect-error chains end with a type, not with a promise
  tq('crawl').add({}).then
}

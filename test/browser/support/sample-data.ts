/** Sample queue: types, workers, failures and operator actions. */
import type { Engine } from '../../../server/engine/engine.ts'
import { DAY, MINUTE, SECOND } from '../../../shared/limits.ts'

/** Lets time pass between two steps. */
export type Tick = (ms: number) => Promise<void>
const NO_DELAY: Tick = async () => {}

export interface Kind {
  readonly type: string
  readonly payload: (n: number) => unknown
  readonly result: unknown
  readonly error: string
}

const PEOPLE = ['ada', 'grace', 'edsger', 'barbara', 'donald', 'leslie']
const person = (n: number) => `${PEOPLE[n % PEOPLE.length]}@example.com`

export const KINDS: readonly Kind[] = [
  {
    type: 'send_email',
    payload: (n) => ({ to: person(n), template: 'welcome', vars: { plan: 'team', seats: (n % 9) + 1 } }),
    result: { messageId: '<7f31@mail>' },
    error: 'SMTP 550 5.1.1 mailbox unavailable',
  },
  {
    type: 'resize_image',
    payload: (n) => ({ url: `s3://uploads/${1_000 + n}.jpg`, widths: [320, 640, 1_280] }),
    result: { bytes: 48_211 },
    error: 'Input buffer contains unsupported image format',
  },
  {
    type: 'charge_card',
    payload: (n) => ({ invoice: `in_${4_000 + n}`, amount: 1_900 + n, currency: 'eur' }),
    result: { status: 'succeeded' },
    error: 'card_declined: insufficient_funds',
  },
  {
    type: 'sync_crm',
    payload: (n) => ({ account: n, since: '2026-01-01' }),
    result: { updated: 12 },
    error: 'connect ECONNREFUSED 10.0.3.17:5432',
  },
  {
    type: 'nightly_report',
    payload: () => ({ day: '2026-01-31', formats: ['pdf', 'csv'] }),
    result: { pages: 14 },
    error: 'Query read timeout',
  },
]

/** Outcomes of the sample jobs, oldest first. */
const ENDS = [
  ...Array.from({ length: 240 }, (_, n) => (n % 29 === 7 ? 'fail' : 'complete')),
  ...['fail', 'complete', 'cancel', 'retry', 'complete', 'later', 'complete', 'complete', 'fail', 'run', 'complete'],
  ...['retry', 'run', 'complete', 'run', 'wait', 'later', 'wait', 'wait'],
]

/** Pause after each job that was claimed. */
export const BETWEEN_MS = 3 * SECOND

/** Number of jobs added after the one with a timeline. */
const NEWEST = 19

/** Returns the id of a running job with a timeline: it failed twice and has a log. */
export async function fillSample(engine: Engine, tick = NO_DELAY): Promise<string> {
  await declareSample(engine)
  for (const [n, end] of ENDS.slice(0, -NEWEST).entries()) await addOne(engine, n, end, tick)
  const jobId = await addJobWithTimeline(engine, tick)
  for (const [n, end] of ENDS.slice(-NEWEST).entries()) await addOne(engine, ENDS.length - NEWEST + n, end, tick)
  await engine.pauseType({ name: 'nightly_report', actor: 'token:ops' })
  await engine.updateType({ name: 'resize_image', set: { maxConcurrency: 8 }, actor: 'token:ops' })
  return jobId
}

async function declareSample(engine: Engine): Promise<void> {
  await engine.declareTypes({
    types: [
      {
        name: 'send_email',
        settings: {
          rate: 500,
          maxAttempts: 5,
          payloadSchema: {
            type: 'object',
            required: ['to', 'template'],
            properties: {
              to: { type: 'string', format: 'email', description: 'Who gets it' },
              template: { type: 'string', enum: ['welcome', 'invoice', 'reminder'] },
              vars: { type: 'object', properties: { seats: { type: 'integer', minimum: 1, default: 1 } } },
            },
          },
        },
      },
      { name: 'charge_card', settings: { maxConcurrency: 4, timeoutMs: 30_000 } },
      { name: 'sync_crm', settings: { maxAttempts: 8 } },
    ],
  })
}

async function addOne(engine: Engine, n: number, end: string, tick: Tick): Promise<void> {
  const kind = KINDS[(n * 7) % KINDS.length] ?? KINDS[0]
  if (!kind) return
  const delayMs = end === 'later' ? n * 9_000 : 0
  const { id: added } = await engine.enqueue({ type: kind.type, payload: kind.payload(n), maxAttempts: 5, delayMs })
  await tick(20 + ((n * 37) % 180))
  if (end === 'cancel') await engine.cancel({ id: added, actor: 'token:ops' })
  if (end === 'cancel' || end === 'later' || end === 'wait') return tick(2 * SECOND)
  // Possibly another job of the type that has become due meanwhile.
  const { id, version } = await claim(engine, kind.type, `worker-${(n % 3) + 1}`)
  await tick(200 + ((n * 631) % 2_800))
  if (end === 'run') await engine.progress({ id, version, progress: (n * 29) % 100 })
  if (end === 'complete') await engine.complete({ id, version, result: kind.result })
  if (end === 'fail') await engine.fail({ id, version, error: kind.error, retry: false })
  // An hour, so that it is still waiting in all screenshots.
  if (end === 'retry') await engine.fail({ id, version, error: kind.error, retryInMs: 60 * MINUTE })
  await tick(BETWEEN_MS)
}

async function claim(engine: Engine, type: string, worker: string): Promise<{ id: string; version: number }> {
  const [job] = await engine.claim({ worker, types: [type], leaseMs: DAY, about: aboutOf(worker) })
  if (!job) throw new Error(`no ${type} job to claim`)
  return job
}

/** worker-3 runs an older version; import workers have one slot. */
export function aboutOf(worker: string): { slots: number; version: string } {
  if (worker.startsWith('import-')) return { slots: 1, version: 'importer 1.8.0' }
  return { slots: 4, version: worker === 'worker-3' ? 'shop 2.13.4' : 'shop 2.14.0' }
}

async function addJobWithTimeline(engine: Engine, tick: Tick): Promise<string> {
  const type = 'import_orders'
  const payload = { shop: 'north', file: 's3://imports/2026-02-01.csv', rows: 18_204, dryRun: false }
  const { id } = await engine.enqueue({ type, payload, maxAttempts: 5, priority: 10, dedupeKey: 'north:2026-02-01' })
  for (const [n, error] of ['Error: socket hang up', 'Error: row 7214: price is not a number'].entries()) {
    await tick(400)
    const { version } = await claim(engine, type, `import-${n + 1}`)
    await tick(38 * SECOND)
    const lines = [`opening ${payload.file}`, 'header ok, 18204 rows', error].map((line) => ({ line }))
    await engine.log({ id, version, lines })
    const stack = `${error}\n    at parse (import.ts:41:11)\n    at run (import.ts:12:5)`
    await engine.fail({ id, version, error: stack, retryInMs: 10 * MINUTE })
    await tick(2 * MINUTE)
    await engine.runNow({ id, actor: 'token:ops' })
  }
  await tick(600)
  const { version } = await claim(engine, type, 'import-3')
  await tick(MINUTE)
  const lines = Array.from({ length: 24 }, (_, n) => ({ line: `rows ${n * 500 + 1}–${(n + 1) * 500} imported` }))
  await engine.log({ id, version, lines })
  await engine.progress({ id, version, progress: 66 })
  return id
}

/** Process to be killed: enqueues jobs with keys and works on them at full speed, with failures, releases and refusals. */
import { openEngine } from '../../../server/index.ts'
import { seeded } from '../../support/seeded.ts'
import { GROUPS, KEYS } from './groups-load.ts'

const [url = '', life = '', seed = ''] = process.argv.slice(2)
const { random } = seeded(Number(seed))
const PRODUCERS = 4
const WORKERS = 6
const PAUSE_MS = 20
const BUSY_MS = 30

const engine = await openEngine({ url })
const oneOf = <Thing>(things: readonly Thing[]): Thing | undefined => things[Math.floor(random() * things.length)]
const pause = () => new Promise((resolve) => setTimeout(resolve, random() * PAUSE_MS))

async function produce(): Promise<never> {
  for (;;) {
    const type = oneOf(GROUPS)?.name ?? ''
    await engine.enqueue({
      type,
      payload: {},
      group: oneOf(KEYS),
      maxAttempts: 1_000,
      backoff: { kind: 'fixed', baseMs: 10 },
      ...(random() < 0.2 && { delayMs: Math.floor(random() * 50) }),
    })
    await pause()
  }
}

async function work(worker: string): Promise<never> {
  for (;;) {
    const jobs = await engine.claim({
      worker,
      types: GROUPS.map(({ name }) => name),
      limit: 3,
      waitMs: 500,
      leaseMs: 1_000,
    })
    await pause()
    for (const { id, version } of jobs) await settle({ id, version }).catch(ignoreStale)
  }
}

async function settle(lease: { readonly id: string; readonly version: number }): Promise<unknown> {
  const roll = random()
  if (roll < 0.1) return engine.fail({ ...lease, error: 'no' })
  if (roll < 0.2) return engine.release(lease)
  if (roll < 0.25) return engine.release({ ...lease, delayMs: BUSY_MS, groupBusy: true })
  if (roll < 0.3) return engine.cancel({ id: lease.id })
  // Some leases end by themselves.
  return roll < 0.32 ? undefined : engine.complete({ ...lease, result: null })
}

/** The machine was slow, and the lease has ended. A cancel carries no version: another worker may have finished the job. */
function ignoreStale(error: unknown): void {
  const code = error instanceof Error && 'code' in error ? error.code : null
  if (code !== 'STALE_CLAIM' && code !== 'WRONG_STATE') throw error
}

process.stdout.write('ready\n')
await Promise.all([
  ...Array.from({ length: PRODUCERS }, () => produce()),
  ...Array.from({ length: WORKERS }, (_, n) => work(`${life}-w${n}`)),
])

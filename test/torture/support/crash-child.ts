/** Process to be killed: produces and works at full speed and records acknowledgements. */
import { openSync, writeSync } from 'node:fs'
import { openEngine } from '../../../server/index.ts'

const [url = '', life = '', log = ''] = process.argv.slice(2)
const output = openSync(log, 'w')
const PRODUCERS = 32
const WORKERS = 16

/** Written synchronously to a file, so that a kill loses no line. */
const record = (...fields: readonly (string | number)[]) => writeSync(output, `${fields.join(' ')}\n`)

const engine = await openEngine({ url, owner: true })
let next = 0

async function produce(): Promise<never> {
  for (;;) {
    const key = `${life}-${next++}`
    record('intent', key)
    const { id } = await engine.enqueue({ type: 'crash', payload: { key }, dedupeKey: key, maxAttempts: 1_000 })
    record('stored', key, id)
  }
}

async function work(worker: string): Promise<never> {
  for (;;) {
    const jobs = await engine.claim({ worker, types: ['crash'], limit: 3, waitMs: 1_000, leaseMs: 1_000 })
    for (const { id, version } of jobs) {
      record('claimed', id, version)
      record('finishing', id, version)
      const { status } = await engine.complete({ id, version, result: { by: worker } })
      record('finished', id, version, status)
    }
  }
}

process.stdout.write('ready\n')
await Promise.all([
  ...Array.from({ length: PRODUCERS }, () => produce()),
  ...Array.from({ length: WORKERS }, (_, n) => work(`${life}-w${n}`)),
])

/** A process made to be killed: produces and works as fast as it can, and writes down what it was told is stored. */
import { openSync, writeSync } from 'node:fs'
import { openEngine } from '../../server/index.ts'

const [url = '', life = '', log = ''] = process.argv.slice(2)
const output = openSync(log, 'w')
const PRODUCERS = 32
const WORKERS = 16

/** Into a file, synchronously: a line is out before the next statement runs, whenever the kill comes. */
const say = (...words: readonly (string | number)[]) => writeSync(output, `${words.join(' ')}\n`)

const engine = await openEngine({ url, owner: true })
let next = 0

async function produce(): Promise<never> {
  for (;;) {
    const key = `${life}-${next++}`
    say('intent', key)
    const { id } = await engine.enqueue({ type: 'crash', payload: { key }, dedupeKey: key, maxAttempts: 1_000 })
    say('stored', key, id)
  }
}

async function work(worker: string): Promise<never> {
  for (;;) {
    const jobs = await engine.claim({ worker, types: ['crash'], limit: 3, waitMs: 1_000, leaseMs: 1_000 })
    for (const { id, version } of jobs) {
      say('claimed', id, version)
      say('finishing', id, version)
      const { status } = await engine.complete({ id, version, result: { by: worker } })
      say('finished', id, version, status)
    }
  }
}

process.stdout.write('ready\n')
await Promise.all([
  ...Array.from({ length: PRODUCERS }, () => produce()),
  ...Array.from({ length: WORKERS }, (_, n) => work(`${life}-w${n}`)),
])

/** Sends the same calls to a server on each store; the responses must be identical byte for byte. */
import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import { DAY, limits } from '../../../shared/limits.ts'
import { DATABASES, type Database } from '../../support/places.ts'
import { startOn, type TestServer } from '../../support/server.ts'

/** Longer responses are compared by their hash, so that a report stays readable. */
const MAX_SHOWN = 2_000

/** One named response, without values that differ between any two servers. */
interface Recorded {
  readonly name: string
  readonly status: number
  readonly text: string
}

/** `[name of the call, status, code of the refusal or 'ok']` */
export type Verdict = readonly [name: string, status: number, code: string]

export interface Caller {
  /** Sends an input, or a raw body; returns the data of a success. */
  call<Data = Record<string, unknown>>(name: string, procedure: string, input: unknown): Promise<Data | undefined>
  /** The whole body as text. */
  callRaw<Data = Record<string, unknown>>(name: string, procedure: string, body: string): Promise<Data | undefined>
}

/** Runs the script on every store and compares the responses; returns the result of each call. */
export async function sameOnBoth(
  script: (caller: Caller) => Promise<void>,
  databases: readonly Database[] = DATABASES,
): Promise<Verdict[]> {
  const recordings: Recorded[][] = []
  for (const database of databases) {
    const server = await startOn(database)({ DURABILITY: 'normal' })
    recordings.push(await record(server, script))
  }
  const [first = [], ...others] = recordings
  for (const other of others) expect(other).toEqual(first)
  return first.map(({ name, status, text }) => [name, status, /"queueCode":"(\w+)"/.exec(text)?.[1] ?? 'ok'])
}

async function record(server: TestServer, script: (caller: Caller) => Promise<void>): Promise<Recorded[]> {
  const all: Recorded[] = []
  const callRaw: Caller['callRaw'] = async (name, procedure, body) => {
    const response = await fetch(`${server.url}/trpc/${procedure}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    const text = await response.text()
    all.push({ name, status: response.status, text })
    return JSON.parse(text).result?.data
  }
  await script({ callRaw, call: (name, procedure, input) => callRaw(name, procedure, JSON.stringify(input)) })
  return withoutChance(all)
}

/** Replaces ids by their order of appearance, and times, row numbers, cursors and durations by placeholders. */
function withoutChance(all: readonly Recorded[]): Recorded[] {
  const ids = new Map<string, string>()
  const now = Date.now()
  const nameOf = (id: string) => {
    if (!ids.has(id)) ids.set(id, `job ${ids.size + 1}`)
    return ids.get(id) ?? ''
  }
  return all.map(({ name, status, text }) => ({
    name,
    status,
    text: shortened(
      text
        .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, nameOf)
        .replace(/\b\d{13}\b/g, (digits) => instantName(Number(digits) - now) ?? digits)
        .replace(/"nextCursor":"[^"]+"/g, '"nextCursor":"#"')
        .replace(/"(seq|id|minute|oldestReadyMs|ms|p50|p95|p99)":[\d.]+/g, '"$1":#')
        .replace(/"oldestReadyMsByType":\{.*?\},"throughput"/g, (ages) => ages.replace(/":\d+(?=[,}])/g, '":#'))
        .replace(/"(waits|runs)":\[[\d,]+\]/g, '"$1":[#]')
        .replace(/ after \d+(\.\d+)? m?s\b/g, ' after # ms'),
    ),
  }))
}

/** Replaces an instant by its distance from now, if it can be recognised as one. */
function instantName(inMs: number): string | undefined {
  if (Math.abs(inMs) < DAY) return 'now'
  return Math.abs(inMs - limits.delayMs) < DAY ? 'now and ten years' : undefined
}

function shortened(text: string): string {
  if (text.length <= MAX_SHOWN) return text
  const sum = createHash('sha256').update(text).digest('hex')
  return `${text.slice(0, MAX_SHOWN / 10)}… ${text.length} characters, sha256 ${sum}`
}

/** The same calls over HTTP to a server on each store: their answers must be the same, byte for byte. */
import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import { DAY, limits } from '../../../shared/limits.ts'
import { DATABASES, type Database } from '../../support/places.ts'
import { startOn, type TestServer } from '../../support/server.ts'

/** Longer answers are told apart by their sum: nobody reads a mebibyte in a report. */
const MAX_SHOWN = 2_000

/** One answer as it came, with its name, but for what no two servers can have alike. */
interface Said {
  readonly name: string
  readonly status: number
  readonly text: string
}

/** `[name of the call, status, code of the refusal or 'ok']` */
export type Verdict = readonly [name: string, status: number, code: string]

export interface Speaker {
  /** Sends an input, or a body as it stands; gives the data of a success. */
  say<Data = Record<string, unknown>>(name: string, procedure: string, input: unknown): Promise<Data | undefined>
  /** The whole body as text. */
  sayRaw<Data = Record<string, unknown>>(name: string, procedure: string, body: string): Promise<Data | undefined>
}

/** Runs the script on every store and compares; gives what became of each call, for the test to say what is right. */
export async function sameOnBoth(
  script: (speaker: Speaker) => Promise<void>,
  databases: readonly Database[] = DATABASES,
): Promise<Verdict[]> {
  const heard: Said[][] = []
  for (const database of databases) {
    const server = await startOn(database)({ DURABILITY: 'normal' })
    heard.push(await listen(server, script))
  }
  const [first = [], ...others] = heard
  for (const other of others) expect(other).toEqual(first)
  return first.map(({ name, status, text }) => [name, status, /"queueCode":"(\w+)"/.exec(text)?.[1] ?? 'ok'])
}

async function listen(server: TestServer, script: (speaker: Speaker) => Promise<void>): Promise<Said[]> {
  const all: Said[] = []
  const sayRaw: Speaker['sayRaw'] = async (name, procedure, body) => {
    const response = await fetch(`${server.url}/trpc/${procedure}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    const text = await response.text()
    all.push({ name, status: response.status, text })
    return JSON.parse(text).result?.data
  }
  await script({ sayRaw, say: (name, procedure, input) => sayRaw(name, procedure, JSON.stringify(input)) })
  return withoutChance(all)
}

/** Ids by their order of appearance; instants that follow from today, row numbers, cursors and measured times as such. */
function withoutChance(all: readonly Said[]): Said[] {
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

/** Of an instant so many milliseconds from now, if it can be told from any other number. */
function instantName(inMs: number): string | undefined {
  if (Math.abs(inMs) < DAY) return 'now'
  return Math.abs(inMs - limits.delayMs) < DAY ? 'now and ten years' : undefined
}

function shortened(text: string): string {
  if (text.length <= MAX_SHOWN) return text
  const sum = createHash('sha256').update(text).digest('hex')
  return `${text.slice(0, MAX_SHOWN / 10)}… ${text.length} characters, sha256 ${sum}`
}

/** The same job as lines for a terminal. */
import type { EnqueueInput } from '../../../shared/contracts/produce.ts'
import { addressOf } from '../../lib/api.ts'
import { writeDuration } from './duration-text.ts'

/** Longer ones are read from a file. */
const LONG = 4_000

export function isLong(input: EnqueueInput): boolean {
  return JSON.stringify(input).length > LONG
}

export function curlLine(input: EnqueueInput): string {
  const from = isLong(input) ? '@job.json' : quoted(JSON.stringify(input))
  return `curl -X POST ${addressOf('trpc/enqueue')} -H 'content-type: application/json' -d ${from}`
}

export function queuectlLine(input: EnqueueInput): string {
  const { type, payload, priority, delayMs, runAt, maxAttempts, timeoutMs, dedupeKey, dedupeUntil } = input
  const url = addressOf('').replace(/\/$/, '')
  if (isLong(input)) return `queuectl --url ${url} enqueue --file job.json`
  const words = [
    ['--type', type],
    ['--payload', JSON.stringify(payload)],
    priority === undefined ? null : ['--priority', String(priority)],
    delayMs === undefined ? null : ['--delay', writeDuration(delayMs)],
    runAt === undefined ? null : ['--at', new Date(runAt).toISOString()],
    maxAttempts === undefined ? null : ['--max-attempts', String(maxAttempts)],
    timeoutMs === undefined ? null : ['--timeout', writeDuration(timeoutMs)],
    dedupeKey === undefined ? null : ['--dedupe-key', dedupeKey],
    dedupeUntil === undefined ? null : ['--dedupe-until', dedupeUntil],
  ].filter((pair) => pair !== null)
  return `queuectl --url ${url} enqueue ${words.map(([name, value = '']) => `${name} ${quoted(value)}`).join(' ')}`
}

/** For a shell: nothing inside single quotes means anything but itself. */
function quoted(text: string): string {
  return /^[\w.:/@+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

/** curl and queuectl commands that enqueue a job. */
import type { EnqueueInput } from '../../../shared/contracts/produce.ts'
import { formatDuration } from '../../../shared/duration.ts'
import { addressOf } from '../../lib/api.ts'

/** Longer jobs are passed as a file. */
const MAX_INLINE = 4_000

export function isLong(input: EnqueueInput): boolean {
  return JSON.stringify(input).length > MAX_INLINE
}

export function curlLine(input: EnqueueInput): string {
  const data = isLong(input) ? '@job.json' : quoted(JSON.stringify(input))
  return `curl -X POST ${addressOf('trpc/enqueue')} -H 'content-type: application/json' -d ${data}`
}

export function queuectlLine(input: EnqueueInput): string {
  const { type, payload, priority, delayMs, runAt, maxAttempts, timeoutMs, group, dedupeKey, dedupeUntil } = input
  const url = addressOf('').replace(/\/$/, '')
  if (isLong(input)) return `queuectl --url ${url} enqueue --file job.json`
  const options = [
    ['--type', type],
    ['--payload', JSON.stringify(payload)],
    priority === undefined ? null : ['--priority', String(priority)],
    delayMs === undefined ? null : ['--delay', formatDuration(delayMs, '')],
    runAt === undefined ? null : ['--at', new Date(runAt).toISOString()],
    maxAttempts === undefined ? null : ['--max-attempts', String(maxAttempts)],
    timeoutMs === undefined ? null : ['--timeout', formatDuration(timeoutMs, '')],
    group === undefined ? null : ['--group', group],
    dedupeKey === undefined ? null : ['--dedupe-key', dedupeKey],
    dedupeUntil === undefined ? null : ['--dedupe-until', dedupeUntil],
  ].filter((pair) => pair !== null)
  return `queuectl --url ${url} enqueue ${options.map(([name, value = '']) => `${name} ${quoted(value)}`).join(' ')}`
}

/** Shell quoting: single quotes disable every expansion. */
function quoted(text: string): string {
  return /^[\w.:/@+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

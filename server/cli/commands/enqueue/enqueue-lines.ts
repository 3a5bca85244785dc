/** Enqueues lines of JSON in batches; stops at the first invalid line, with all earlier lines stored. */

import type { EnqueueInput } from '../../../../shared/contracts/produce.ts'
import { QueueError } from '../../../../shared/errors.ts'
import type { EnqueueResult } from '../../../../shared/job.ts'
import { requireExactNumbers } from '../../../../shared/json/exact-numbers.ts'
import { limits } from '../../../../shared/limits.ts'
import type { Queue } from '../../../../shared/queue.ts'
import { CliError, EXIT, exitCodeOf, usageError } from '../../exit-codes.ts'
import { grouped } from '../../output/format.ts'

/** A quarter of the request limit of a server, because escaped JSON can double in size. */
const BATCH_LENGTH = limits.bodyBytes / 4
/** Longer than any valid job. Keeps a file without line breaks from filling the memory. */
const MAX_LINE = 64 * 1_048_576

export interface LinesParts {
  readonly queue: Queue
  readonly input: AsyncIterable<string | Uint8Array>
  readonly fromLine: number
  readonly signal: AbortSignal
  readonly makeJob: (given: unknown) => Promise<EnqueueInput>
  readonly onStored: (line: number, result: EnqueueResult) => void
  readonly onProgress: (jobs: number, readBytes: number) => void
}

export interface LinesOutcome {
  readonly jobs: number
  readonly deduplicated: number
  /** First line that is not stored after an interruption. */
  readonly stoppedAt: number | null
}

interface Line {
  readonly number: number
  readonly job: EnqueueInput
}

export async function enqueueLines(parts: LinesParts): Promise<LinesOutcome> {
  const { queue, fromLine, signal, makeJob, onStored, onProgress } = parts
  let [number, jobs, deduplicated, length, read] = [0, 0, 0, 0, 0]
  let batch: Line[] = []

  async function store(lines: readonly Line[]): Promise<void> {
    if (lines.length === 0) return
    const results = await queue.enqueueMany({ jobs: lines.map(({ job }) => job) })
    for (const [index, result] of results.entries()) {
      onStored(lines[index]?.number ?? 0, result)
      if (result.deduplicated) deduplicated++
    }
    jobs += results.length
    onProgress(jobs, read)
  }

  async function flush(): Promise<void> {
    const lines = batch
    batch = []
    length = 0
    try {
      await store(lines)
    } catch (error) {
      const invalid = invalidLine(error, lines)
      if (!invalid) throw atBatch(error, lines, jobs)
      // The queue rejected the whole batch; store the lines before the invalid one.
      await store(lines.slice(0, lines.indexOf(invalid)))
      throw atLine(invalid.number, error, jobs)
    }
  }

  const lines = linesOf(parts.input, signal)
  while (!signal.aborted) {
    let text: string
    try {
      const next = await lines.next()
      if (next.done) break
      text = next.value
    } catch (error) {
      await flush()
      throw atLine(number + 1, unreadable(error), jobs)
    }
    number++
    read += Buffer.byteLength(text) + 1
    if (number < fromLine || text.trim() === '') continue
    try {
      batch.push({ number, job: await makeJob(parse(number === 1 ? text.replace(/^\ufeff/, '') : text)) })
    } catch (error) {
      await flush()
      throw atLine(number, error, jobs)
    }
    length += text.length
    if (batch.length >= limits.enqueueMany || length >= BATCH_LENGTH) await flush()
  }
  const stoppedAt = signal.aborted ? (batch[0]?.number ?? number + 1) : null
  if (!signal.aborted) await flush()
  return { jobs, deduplicated, stoppedAt }
}

/** Splits the input into lines. An abort ends it at once, even if the input is slow. */
async function* linesOf(input: LinesParts['input'], signal: AbortSignal): AsyncGenerator<string, undefined> {
  const stopped = new Promise<null>((resolve) => {
    signal.addEventListener('abort', () => resolve(null), { once: true })
  })
  const decoder = new TextDecoder()
  const chunks = input[Symbol.asyncIterator]()
  let rest = ''
  for (;;) {
    const chunk = await Promise.race([chunks.next(), stopped])
    if (chunk === null || chunk.done) break
    rest += typeof chunk.value === 'string' ? chunk.value : decoder.decode(chunk.value, { stream: true })
    const lines = rest.split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > MAX_LINE) throw usageError('the line is longer than the maximum size of a job')
    yield* lines
  }
  rest += decoder.decode()
  if (rest !== '') yield rest
}

function unreadable(error: unknown): unknown {
  if (error instanceof CliError || !(error instanceof Error)) return error
  return new CliError(EXIT.failed, `cannot read the input (${error.message})`)
}

function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    requireExactNumbers(text)
    return value
  } catch (error) {
    if (error instanceof QueueError) throw error
    throw usageError(`invalid JSON (${error instanceof Error ? error.message : String(error)})`)
  }
}

/** The queue reports an invalid job of a batch by its index: `jobs.7.payload …`. */
function invalidLine(error: unknown, lines: readonly Line[]): Line | undefined {
  if (!(error instanceof QueueError) || !['BAD_INPUT', 'TOO_LARGE'].includes(error.code)) return undefined
  const index = /\bjobs\.(\d+)\b/.exec(error.message)?.[1]
  return index === undefined ? undefined : lines[Number(index)]
}

function atLine(number: number, error: unknown, stored: number): unknown {
  const exitCode = exitCodeOf(error)
  if (exitCode === null || !(error instanceof Error)) return error
  const reason = error.message.replace(/^jobs\.\d+\.?/, '').replace(/[^.?]$/, '$&.')
  return new CliError(
    exitCode,
    `Line ${number}: ${reason} ${storedText(stored)}; fix the line and continue with --from-line ${number}.`,
  )
}

function atBatch(error: unknown, lines: readonly Line[], stored: number): unknown {
  const exitCode = exitCodeOf(error)
  if (exitCode === null || !(error instanceof Error)) return error
  const [first, last] = [lines[0]?.number ?? 0, lines.at(-1)?.number ?? 0]
  const isUnknown = error instanceof QueueError && error.code === 'UNREACHABLE'
  const outcome = isUnknown
    ? `lines ${first} to ${last} may or may not be stored, and sending them again duplicates jobs without a dedupe key`
    : `lines ${first} to ${last} are not stored`
  return new CliError(
    exitCode,
    `${error.message} ${storedText(stored)}; ${outcome}. Continue with --from-line ${first}.`,
  )
}

function storedText(stored: number): string {
  if (stored === 0) return 'No earlier line is stored'
  return `All earlier lines are stored (${grouped(stored)} ${stored === 1 ? 'job' : 'jobs'})`
}

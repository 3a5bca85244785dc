/** Action of `enqueue`: reads jobs from arguments, a file or stdin and stores them. */
import { createReadStream, statSync } from 'node:fs'
import { QueueError } from '../../../../shared/errors.ts'
import type { EnqueueResult } from '../../../../shared/job.ts'
import { requireExactNumbers } from '../../../../shared/json/exact-numbers.ts'
import type { Queue } from '../../../../shared/queue.ts'
import { queuectlState } from '../../../../shared/vocabulary.ts'
import type { Cli } from '../../cli.ts'
import { CliError, EXIT, usageError } from '../../exit-codes.ts'
import { type JobFields, type MakeJob, makeJob } from '../../input/job-fields.ts'
import { count } from '../../output/format.ts'
import { ProgressBar } from '../../output/progress-bar.ts'
import { timeWithAge } from '../../output/times.ts'
import { enqueueLines } from './enqueue-lines.ts'

const STDIN = '-'

export interface EnqueueOptions {
  readonly command?: string
  readonly argv?: unknown
  readonly type?: string
  readonly payload?: unknown
  readonly priority?: number
  readonly delay?: number
  readonly at?: number
  readonly maxAttempts?: number
  readonly maxRetries?: number
  readonly timeout?: number
  readonly group?: string
  readonly dedupeKey?: string
  readonly dedupeUntil?: string
  readonly file?: string
  readonly fromLine: number
}

export async function enqueue(cli: Cli, words: readonly string[], options: EnqueueOptions): Promise<void> {
  const [text, ...more] = words
  if (more.length > 0) throw usageError(splitArguments(words))
  const source = options.file ?? (text === STDIN ? STDIN : undefined)
  const hasFlags = options.command !== undefined || options.argv !== undefined || options.type !== undefined
  const fromStdin = source === undefined && text === undefined && !hasFlags && !cli.io.stdin.isTTY
  if (text !== undefined && options.file !== undefined) throw usageError('Use either a job or --file, not both.')
  if (text === undefined && source === undefined && !hasFlags && !fromStdin) throw usageError(NOTHING_GIVEN)
  const given = text === undefined || text === STDIN ? {} : parse(text)
  const bytes = source === undefined || source === STDIN ? null : sizeOf(source)

  await cli.withQueue(
    async (queue) => {
      let settings: ReturnType<Queue['settings']> | undefined
      const making: MakeJob = {
        defaults: fieldsOf(options),
        settings: () => {
          settings ??= queue.settings()
          return settings
        },
      }
      if (source === undefined && !fromStdin) await enqueueOne(cli, queue, given, making)
      else
        await enqueueMany(
          cli,
          queue,
          bytes === null ? cli.io.stdin : createReadStream(source ?? ''),
          bytes,
          making,
          options,
        )
    },
    { mayCreate: true },
  )
}

const NOTHING_GIVEN = 'Nothing to enqueue; try queuectl enqueue --command "echo hi", or see queuectl help enqueue.'

function splitArguments(words: readonly string[]): string {
  return words[0]?.startsWith('{')
    ? `The JSON was split by the shell; quote all of it: queuectl enqueue '{"command":"echo hi"}'`
    : `Did you mean queuectl enqueue --command ${JSON.stringify(words.join(' '))}?`
}

async function enqueueOne(cli: Cli, queue: Queue, given: unknown, making: MakeJob): Promise<void> {
  const job = await makeJob(given, making).catch((error: unknown) => {
    throw error instanceof CliError ? new CliError(error.exitCode, sentence(error.message)) : error
  })
  const result = await queue.enqueue(job)
  cli.isJson ? cli.printJson(withState(result)) : cli.print(result.id)
  cli.info(await resultMessage(queue, result, cli.now()))
}

async function resultMessage(queue: Queue, { id, status, deduplicated }: EnqueueResult, now: number): Promise<string> {
  if (deduplicated) return `This job already exists (${queuectlState[status]}); nothing was added.`
  if (status === 'blocked') return `Enqueued; blocked by its group, see queuectl explain ${id}.`
  if (status !== 'scheduled') return 'Enqueued; ready to run.'
  return `Enqueued; due ${timeWithAge((await queue.get({ id })).runAt, now)}.`
}

function withState(result: EnqueueResult) {
  return { ...result, state: queuectlState[result.status] }
}

async function enqueueMany(
  cli: Cli,
  queue: Queue,
  input: AsyncIterable<string | Uint8Array>,
  bytes: number | null,
  making: MakeJob,
  { fromLine }: EnqueueOptions,
): Promise<void> {
  cli.io.ignoreClosedOutput()
  const bar = new ProgressBar(cli.io.stderr, cli.io.clock, bytes)
  const interrupted = new AbortController()
  const undo = cli.io.onInterrupt(() => interrupted.abort())
  // On a terminal the ids of a bulk import are noise; print them only to a file or pipe.
  const showsIds = !cli.io.stdout.isTTY
  try {
    const outcome = await enqueueLines({
      queue,
      input,
      fromLine,
      signal: interrupted.signal,
      makeJob: (given) => makeJob(given, making),
      onStored(line, result) {
        if (cli.isJson) cli.printJson({ line, ...withState(result) })
        else if (showsIds) cli.print(result.id)
      },
      onProgress: (jobs, read) => bar.draw(jobs, read),
    })
    bar.clear()
    const skipped = outcome.deduplicated === 0 ? '' : `, ${count(outcome.deduplicated, 'duplicate')} skipped`
    cli.info(`${count(outcome.jobs - outcome.deduplicated, 'job')} enqueued${skipped}.`)
    if (outcome.stoppedAt === null) return
    cli.info(`Stopped; continue with --from-line ${outcome.stoppedAt}.`)
    cli.exitCode = EXIT.failed
  } finally {
    bar.clear()
    undo()
  }
}

function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    requireExactNumbers(text)
    return value
  } catch (error) {
    if (error instanceof QueueError) throw error
    const reason = error instanceof Error ? error.message : String(error)
    const advice = text.trim().startsWith('{')
      ? `quote all of it: queuectl enqueue '{"command":"echo hi"}'`
      : 'use --command for a command or --type for a job type'
    throw usageError(`Invalid JSON (${reason}); ${advice}.`)
  }
}

function fieldsOf(options: EnqueueOptions): JobFields {
  const { fromLine: _, file: __, delay, at, timeout, ...plain } = options
  return {
    ...plain,
    ...(delay !== undefined && { delayMs: delay }),
    ...(at !== undefined && { runAt: at }),
    ...(timeout !== undefined && { timeoutMs: timeout }),
  }
}

function sizeOf(file: string): number {
  try {
    const stats = statSync(file)
    if (stats.isDirectory()) throw usageError(`${file} is a folder; pass a file with one JSON job per line.`)
    return stats.size
  } catch (error) {
    if (error instanceof CliError) throw error
    throw new CliError(EXIT.notFound, `There is no file ${file}.`)
  }
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.?!]$/.test(text) ? '' : '.'}`
}

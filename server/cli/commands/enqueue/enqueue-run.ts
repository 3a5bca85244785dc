/** What `enqueue` does: reads its jobs from where they are, stores them, and tells of it. */
import { createReadStream, statSync } from 'node:fs'
import { QueueError } from '../../../../shared/errors.ts'
import type { EnqueueResult } from '../../../../shared/job.ts'
import { requireKeptNumbers } from '../../../../shared/json/exact-numbers.ts'
import { queuectlState } from '../../../../shared/vocabulary.ts'
import type { Queue } from '../../../queue/queue.ts'
import type { Cli } from '../../cli.ts'
import { EXIT, Refusal, usage } from '../../exit-codes.ts'
import { type MakeJob, makeJob } from '../../input/job-fields.ts'
import { dated } from '../../input/times.ts'
import { count } from '../../output/format.ts'
import { ProgressBar } from '../../output/progress-bar.ts'
import { enqueueLines } from './enqueue-lines.ts'
import { type EnqueueOptions, fieldsOf } from './enqueue-options.ts'

const STDIN = '-'

export async function enqueue(cli: Cli, words: readonly string[], options: EnqueueOptions): Promise<void> {
  const [text, ...more] = words
  if (more.length > 0) throw usage(severalWords(words))
  const source = options.file ?? (text === STDIN ? STDIN : undefined)
  const hasFlags = options.command !== undefined || options.argv !== undefined || options.type !== undefined
  const fromStdin = source === undefined && text === undefined && !hasFlags && !cli.io.stdin.isTTY
  if (text !== undefined && options.file !== undefined) throw usage('Give a job or a file of them, not both.')
  if (text === undefined && source === undefined && !hasFlags && !fromStdin) throw usage(NOTHING_GIVEN)
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
      if (source === undefined && !fromStdin) await one(cli, queue, given, making)
      else
        await many(cli, queue, bytes === null ? cli.io.stdin : createReadStream(source ?? ''), bytes, making, options)
    },
    { mayCreate: true },
  )
}

const NOTHING_GIVEN =
  'There is nothing to enqueue; try queuectl enqueue --command "echo hi", or queuectl help enqueue for more.'

function severalWords(words: readonly string[]): string {
  return words[0]?.startsWith('{')
    ? `That is JSON in pieces; quote the whole of it: queuectl enqueue '{"command":"echo hi"}'`
    : `Did you mean queuectl enqueue --command ${JSON.stringify(words.join(' '))}?`
}

async function one(cli: Cli, queue: Queue, given: unknown, making: MakeJob): Promise<void> {
  const job = await makeJob(given, making).catch((error: unknown) => {
    throw error instanceof Refusal ? new Refusal(error.exitCode, sentence(error.message)) : error
  })
  const result = await queue.enqueue(job)
  cli.isJson ? cli.printJson(told(result)) : cli.print(result.id)
  cli.say(await story(queue, result, cli.now()))
}

async function story(queue: Queue, { id, status, deduplicated }: EnqueueResult, now: number): Promise<string> {
  if (deduplicated) return `There is such a job already, ${queuectlState[status]}; nothing was added.`
  if (status !== 'scheduled') return 'Enqueued; it can be claimed now.'
  return `Enqueued; it is due ${dated((await queue.get({ id })).runAt, now)}.`
}

function told(result: EnqueueResult) {
  return { ...result, state: queuectlState[result.status] }
}

async function many(
  cli: Cli,
  queue: Queue,
  input: AsyncIterable<string | Uint8Array>,
  bytes: number | null,
  making: MakeJob,
  { fromLine }: EnqueueOptions,
): Promise<void> {
  cli.io.goOnUnread()
  const bar = new ProgressBar(cli.io.stderr, cli.io.clock, bytes)
  const interrupted = new AbortController()
  const undo = cli.io.onInterrupt(() => interrupted.abort())
  // A hundred thousand ids are for a program, not for a person.
  const showsIds = !cli.io.stdout.isTTY
  try {
    const outcome = await enqueueLines({
      queue,
      input,
      fromLine,
      signal: interrupted.signal,
      makeJob: (given) => makeJob(given, making),
      onStored(line, result) {
        if (cli.isJson) cli.printJson({ line, ...told(result) })
        else if (showsIds) cli.print(result.id)
      },
      onProgress: (jobs, read) => bar.draw(jobs, read),
    })
    bar.clear()
    const known = outcome.deduplicated === 0 ? '' : `, ${count(outcome.deduplicated, 'was', 'were')} there already`
    cli.say(`${count(outcome.jobs - outcome.deduplicated, 'job')} enqueued${known}.`)
    if (outcome.stoppedAt === null) return
    cli.say(`Stopped; go on with --from-line ${outcome.stoppedAt}.`)
    cli.exitCode = EXIT.failed
  } finally {
    bar.clear()
    undo()
  }
}

function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    requireKeptNumbers(text)
    return value
  } catch (error) {
    if (error instanceof QueueError) throw error
    const reason = error instanceof Error ? error.message : String(error)
    const advice = text.trim().startsWith('{')
      ? `quote the whole of it: queuectl enqueue '{"command":"echo hi"}'`
      : 'for a command use --command, for a type --type'
    throw usage(`That is not JSON (${reason}); ${advice}.`)
  }
}

function sizeOf(file: string): number {
  try {
    const stats = statSync(file)
    if (stats.isDirectory()) throw usage(`${file} is a folder; give the file with the jobs.`)
    return stats.size
  } catch (error) {
    if (error instanceof Refusal) throw error
    throw new Refusal(EXIT.notFound, `There is no file ${file} to read jobs from.`)
  }
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.?!]$/.test(text) ? '' : '.'}`
}

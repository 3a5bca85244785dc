/** `schedule backfill`: enqueues the ticks of a range as a bulk operation, and follows, stops or undoes it. */
import { MINUTE, SECOND } from '../../../../shared/limits.ts'
import type { Queue } from '../../../../shared/queue.ts'
import type { BulkRow } from '../../../../shared/records.ts'
import type { Cli } from '../../cli.ts'
import { EXIT, usageError } from '../../exit-codes.ts'
import { count, grouped } from '../../output/format.ts'
import { sleep } from '../../sleep.ts'
import { withSuggestion } from './find-schedule.ts'

export interface BackfillOptions {
  readonly from?: number
  readonly to?: number
  readonly again?: boolean
  readonly wait?: boolean
}

const POLL_MS = SECOND / 4
/** The longest time that the queue keeps what an undo needs. */
const UNDO_MS = MINUTE

export async function backfillSchedule(cli: Cli, name: string, options: BackfillOptions): Promise<void> {
  const { from, to = cli.now(), again = false, wait = false } = options
  if (from === undefined) throw usageError('Missing the range: --from <time>, and --to <time> unless it ends now.')
  await cli.withQueue(async (queue, where) => {
    const input = { name, from, to, again, undoMs: UNDO_MS, actor: cli.actor }
    const bulk = await withSuggestion(queue, name, () => queue.backfillSchedule(input))
    if (!wait) {
      cli.isJson ? cli.printJson(bulk) : cli.print(bulk.id)
      cli.info(`Backfill started; follow it with queuectl schedule backfill ${name} --status ${bulk.id}.`)
      if (where.kind !== 'server') cli.info('A running server or worker process on this database carries it out.')
      return
    }
    const ended = await follow(cli, queue, bulk)
    cli.isJson ? cli.printJson(ended) : cli.print(ended.id)
    cli.info(progress(ended))
    if (ended.state === 'cancelled') cli.exitCode = EXIT.failed
  })
}

/** Ctrl-C stops the backfill; jobs that are enqueued already remain. */
async function follow(cli: Cli, queue: Queue, { id, actor }: BulkRow): Promise<BulkRow> {
  const stop = new AbortController()
  const release = cli.io.onInterrupt(() => stop.abort())
  let isCancelled = false
  let shown = ''
  try {
    for (;;) {
      const bulk = await queue.bulk({ id })
      if (bulk.finishedAt !== null) return bulk
      if (stop.signal.aborted && !isCancelled) {
        await queue.cancelBulk({ id, actor })
        isCancelled = true
      }
      if (cli.io.stderr.isTTY && progress(bulk) !== shown) {
        shown = progress(bulk)
        cli.info(shown)
      }
      await sleep(cli.io.clock, POLL_MS, isCancelled ? new AbortController().signal : stop.signal)
    }
  } finally {
    release()
  }
}

export interface FollowOptions {
  readonly status?: string
  readonly cancel?: string
  readonly undo?: string
}

export async function changeBackfill(cli: Cli, { status, cancel, undo }: FollowOptions): Promise<void> {
  await cli.withQueue(async (queue) => {
    const { actor } = cli
    const bulk =
      cancel !== undefined
        ? await queue.cancelBulk({ id: cancel, actor })
        : undo !== undefined
          ? await queue.undoBulk({ id: undo, actor })
          : await queue.bulk({ id: status ?? '' })
    cli.isJson ? cli.printJson(bulk) : cli.print(`${bulk.id}  ${bulk.state}`)
    cli.info(progress(bulk))
  })
}

function progress({ state, matched, changed, skipped, undone }: BulkRow): string {
  const left = skipped > 0 ? `, ${grouped(skipped)} left out because they have a job already` : ''
  const back = undone > 0 ? `, ${grouped(undone)} undone` : ''
  return `Backfill ${state}: ${count(matched, 'tick')}, ${count(changed, 'job')} enqueued${left}${back}.`
}

/** One worker process: told by its supervisor what to do, and never longer there than that and what it runs. */
import { systemClock } from '../base/clock.ts'
import { processEnvironment } from '../base/config/config.ts'
import { inOneLine } from '../ops/start-errors.ts'
import { openQueue } from '../sdk/open-queue.ts'
import { lineOf, type WorkerEvent } from '../worker/events.ts'
import { isToWorker, type WorkerSettings } from './messages.ts'
import { type ShellWorker, startShellWorker } from './start-shell-worker.ts'

const EXIT_FAILED = 1
const EXIT_STORE_FAILED = 70

let settings: WorkerSettings | null = null
let shell: ShellWorker | null = null
/** Asked to stop before there was anything to stop. */
let isUnwanted = false

function stop(graceMs: number): void {
  isUnwanted = true
  void shell?.stop({ graceMs })
}

process.on('message', (message) => {
  if (!isToWorker(message)) return
  if (message.kind === 'stop') stop(message.graceMs)
  else if (!settings) {
    settings = message.settings
    run(settings).catch((error: unknown) => {
      process.stderr.write(`${inOneLine(error)}\n`)
      process.exit(EXIT_FAILED)
    })
  }
})
// The supervisor hears these as well, and decides; a terminal sends them to everybody.
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
const endInGoodOrder = () => stop(settings?.graceMs ?? 0)
process.on('SIGTERM', endInGoodOrder).on('disconnect', endInGoodOrder)
// Whoever read the events has had enough; words alone may go unread.
process.stdout.on('error', endInGoodOrder)
process.stderr.on('error', () => {})

async function run({ home, json, ...options }: WorkerSettings): Promise<void> {
  const { url, token, config } = home
  const tell = teller(options.name, json)
  const queue = await openQueue(url, {
    ...config,
    ...(token === undefined ? {} : { token }),
    // The supervisor does the upkeep: it is not killed with a job that kills its worker.
    services: false,
    onError: (error) => tell({ kind: 'trouble', error }),
    onFatal(error) {
      tell({ kind: 'trouble', error })
      process.exit(EXIT_STORE_FAILED)
    },
  })
  // The token is for the queue: no command has to know it, or show it in its output.
  const { AUTH_TOKEN: _, ...env } = processEnvironment()
  const started = startShellWorker(queue, { ...options, env })
  started.worker.events.onAny(tell)
  const ended = new Promise<void>((resolve) => started.worker.events.on('stopped', () => resolve()))
  shell = started
  if (isUnwanted) stop(options.graceMs)
  await ended
  await started.stop({ graceMs: 0 })
  await queue.close()
  process.exit(0)
}

/** The same trouble again and again is told once. */
function teller(name: string, json: boolean): (event: WorkerEvent) => void {
  let last = ''
  return (event) => {
    const line = lineOf(event)
    if (event.kind === 'trouble' && line === last) return
    last = line
    if (!json) process.stderr.write(`${name}: ${line}\n`)
    else process.stdout.write(`${JSON.stringify({ at: systemClock.now(), worker: name, line, ...plain(event) })}\n`)
  }
}

function plain(event: WorkerEvent): object {
  return 'error' in event && event.error instanceof Error ? { ...event, error: event.error.message } : event
}

/** Worker process: entry point that a supervisor forks. */
import { systemClock } from '../base/clock.ts'
import { processEnvironment } from '../base/config/config.ts'
import { formatStartError } from '../ops/start-errors.ts'
import { openQueue } from '../sdk/open-queue.ts'
import { formatWorkerEvent, type WorkerEvent } from '../worker/events.ts'
import { isToWorker, type WorkerSettings } from './messages.ts'
import { type ShellWorker, startShellWorker } from './start-shell-worker.ts'

const EXIT_FAILED = 1
const EXIT_STORE_FAILED = 70

let settings: WorkerSettings | null = null
let shell: ShellWorker | null = null
/** `stop` arrived before the worker was started. */
let isStopRequested = false

function stop(graceMs: number): void {
  isStopRequested = true
  void shell?.stop({ graceMs })
}

process.on('message', (message) => {
  if (!isToWorker(message)) return
  if (message.kind === 'stop') stop(message.graceMs)
  else if (!settings) {
    settings = message.settings
    run(settings).catch((error: unknown) => {
      process.stderr.write(`${formatStartError(error)}\n`)
      process.exit(EXIT_FAILED)
    })
  }
})
// A terminal sends these to the whole process group. The supervisor handles them.
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
const stopGracefully = () => stop(settings?.graceMs ?? 0)
process.on('SIGTERM', stopGracefully).on('disconnect', stopGracefully)
// EPIPE on stdout stops the worker, because its reader is gone. Log lines on stderr may be lost.
process.stdout.on('error', stopGracefully)
process.stderr.on('error', () => {})

async function run({ location, json, ...options }: WorkerSettings): Promise<void> {
  const { url, token, config } = location
  const write = eventWriter(options.name, json)
  const queue = await openQueue(url, {
    ...config,
    ...(token === undefined ? {} : { token }),
    // The supervisor runs the background services: a job can crash this process.
    services: false,
    onError: (error) => write({ kind: 'error', error }),
    onFatal(error) {
      write({ kind: 'error', error })
      process.exit(EXIT_STORE_FAILED)
    },
  })
  // Commands must not see the token of the queue.
  const { AUTH_TOKEN: _, ...env } = processEnvironment()
  const started = startShellWorker(queue, { ...options, env })
  started.worker.events.onAny(write)
  const ended = new Promise<void>((resolve) => started.worker.events.on('stopped', () => resolve()))
  shell = started
  if (isStopRequested) stop(options.graceMs)
  await ended
  await started.stop({ graceMs: 0 })
  await queue.close()
  process.exit(0)
}

/** Writes an error that repeats only once. */
function eventWriter(name: string, json: boolean): (event: WorkerEvent) => void {
  let last = ''
  return (event) => {
    const line = formatWorkerEvent(event)
    if (event.kind === 'error' && line === last) return
    last = line
    if (!json) process.stderr.write(`${name}: ${line}\n`)
    else process.stdout.write(`${JSON.stringify({ at: systemClock.now(), worker: name, line, ...toJson(event) })}\n`)
  }
}

function toJson(event: WorkerEvent): object {
  return 'error' in event && event.error instanceof Error ? { ...event, error: event.error.message } : event
}

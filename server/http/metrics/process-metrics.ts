/** Process metrics: CPU time, memory, open files and event-loop lag. */
import { readdirSync } from 'node:fs'
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks'
import { SECOND } from '../../../shared/limits.ts'
import type { Clock } from '../../base/clock.ts'
import type { Exposition } from './exposition.ts'

const INTERVAL_MS = 10
const NANOSECONDS = 1e9
const MICROSECONDS = 1e6
const OPEN_FILES = '/proc/self/fd'

export class ProcessMetrics {
  private readonly startedAt: number
  private readonly delays: IntervalHistogram = monitorEventLoopDelay({ resolution: INTERVAL_MS })

  constructor(clock: Clock) {
    this.startedAt = clock.now() / SECOND - process.uptime()
  }

  start(): void {
    this.delays.enable()
  }

  stop(): void {
    this.delays.disable()
  }

  write(out: Exposition): void {
    const { user, system } = process.cpuUsage()
    const { rss, heapUsed, heapTotal, external } = process.memoryUsage()
    const sample = (value: number) => [[{}, value]] as const
    out.counter('process_cpu_user_seconds_total', 'User CPU time.', sample(user / MICROSECONDS))
    out.counter('process_cpu_system_seconds_total', 'System CPU time.', sample(system / MICROSECONDS))
    out.counter('process_cpu_seconds_total', 'User and system CPU time.', sample((user + system) / MICROSECONDS))
    out.gauge('process_start_time_seconds', 'Start time of the process since the Unix epoch.', sample(this.startedAt))
    out.gauge('process_resident_memory_bytes', 'Resident memory.', sample(rss))
    out.gauge('nodejs_heap_size_used_bytes', 'Heap in use.', sample(heapUsed))
    out.gauge('nodejs_heap_size_total_bytes', 'Heap.', sample(heapTotal))
    out.gauge('nodejs_external_memory_bytes', 'Memory of buffers and native objects.', sample(external))
    const files = openFiles()
    if (files !== null) out.gauge('process_open_fds', 'Open file descriptors.', sample(files))
    this.writeLag(out)
  }

  private writeLag(out: Exposition): void {
    const { delays } = this
    // The histogram records the time between two ticks; the part above the interval is the lag.
    const lag = (nanoseconds: number) =>
      delays.count === 0 ? 0 : Math.max(0, nanoseconds / NANOSECONDS - INTERVAL_MS / SECOND)
    const since = 'of the event loop since the last scrape.'
    out.gauge('nodejs_eventloop_lag_mean_seconds', `Mean lag ${since}`, [[{}, lag(delays.mean)]])
    out.gauge('nodejs_eventloop_lag_p50_seconds', `Median lag ${since}`, [[{}, lag(delays.percentile(50))]])
    out.gauge('nodejs_eventloop_lag_p99_seconds', `99th percentile of the lag ${since}`, [
      [{}, lag(delays.percentile(99))],
    ])
    out.gauge('nodejs_eventloop_lag_max_seconds', `Longest lag ${since}`, [[{}, lag(delays.max)]])
    delays.reset()
  }
}

/** null: not available on this system. */
function openFiles(): number | null {
  try {
    return readdirSync(OPEN_FILES).length
  } catch {
    return null
  }
}

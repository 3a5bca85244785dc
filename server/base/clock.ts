/** The one place that reads time and sets timers; everything else is handed a Clock. */

export interface Timer {
  /** Ends the timer before it runs. */
  cancel(): void
}

/** Where time comes from; tests may bring their own. */
export interface Clock {
  /** Wall clock, milliseconds UTC: may jump. */
  now(): number
  /** Milliseconds that only ever move forward: what durations are measured with. The same in all threads of a process. */
  monotonic(): number
  /** How much longer than `monotonic` shows the machine has been up: on Linux the time it was asleep. Without it, none. */
  asleepMs?(): number
  /** Runs once; `keepAlive` false lets the process end while it waits. */
  after(delayMs: number, run: () => void, keepAlive?: boolean): Timer
}

/** Of Node's timers; those asked for longer would run at once. */
const LONGEST_MS = 2 ** 31 - 1

export const systemClock: Clock = {
  now: () => Date.now(),
  // Not performance.now(), which starts at another instant in each thread; outside Node there is nothing else.
  monotonic() {
    if (typeof process === 'undefined' || !process.hrtime) return performance.now()
    const [seconds, nanoseconds] = process.hrtime()
    return seconds * 1_000 + nanoseconds / 1e6
  },
  // CLOCK_MONOTONIC stands still while a Linux machine sleeps; the time since boot does not. No import: browsers load this file too.
  asleepMs: () => process.getBuiltinModule('node:os').uptime() * 1_000 - systemClock.monotonic(),
  after(delayMs, run, keepAlive = false) {
    const timeout = setTimeout(run, Math.min(delayMs, LONGEST_MS))
    // Browsers and edge runtimes give a number: no process there ends by itself.
    if (!keepAlive && typeof timeout === 'object') timeout.unref()
    return { cancel: () => clearTimeout(timeout) }
  },
}

/** Clock: the only module that reads time and sets timers. */

export interface Timer {
  /** Cancels the timer. */
  cancel(): void
}

/** Source of time and timers; tests may inject their own. */
export interface Clock {
  /** Wall clock, milliseconds UTC. May jump. */
  now(): number
  /** Monotonic milliseconds, for durations. Equal in all threads of a process. */
  monotonic(): number
  /** Milliseconds that the machine was suspended, which `monotonic` does not count on Linux. Without it: 0. */
  asleepMs?(): number
  /** Calls `run` once after the delay. `keepAlive` false (default) does not keep the process alive. */
  after(delayMs: number, run: () => void, keepAlive?: boolean): Timer
}

/** Maximum delay of `setTimeout`; longer delays fire immediately. */
const MAX_DELAY_MS = 2 ** 31 - 1

export const systemClock: Clock = {
  now: () => Date.now(),
  // performance.now() starts at a different instant in each thread. Outside Node it is the only choice.
  monotonic() {
    if (typeof process === 'undefined' || !process.hrtime) return performance.now()
    const [seconds, nanoseconds] = process.hrtime()
    return seconds * 1_000 + nanoseconds / 1e6
  },
  // CLOCK_MONOTONIC stops while a Linux machine is suspended; uptime does not. No import, because browsers load this file too.
  asleepMs: () => process.getBuiltinModule('node:os').uptime() * 1_000 - systemClock.monotonic(),
  after(delayMs, run, keepAlive = false) {
    const timeout = setTimeout(run, Math.min(delayMs, MAX_DELAY_MS))
    // Browsers and edge runtimes return a number and have no `unref`.
    if (!keepAlive && typeof timeout === 'object') timeout.unref()
    return { cancel: () => clearTimeout(timeout) }
  },
}

/** Runs a function at the end of this event-loop turn, after the I/O callbacks that are ready now. */

export function endOfTurn(run: () => void): void {
  // Browsers and most edge runtimes have no setImmediate. A timeout of Node takes at least 1 ms.
  if (typeof setImmediate === 'function') setImmediate(run)
  else setTimeout(run)
}

/** Resolves when all promise callbacks that can run now have run, which takes less time than a turn of the event loop. */
export function afterMicrotasks(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve))
}

/** The handler that the calling code runs in, for the detection of handlers that wait for one another. */

/** A handler of a worker in this process. */
export interface CurrentHandler {
  /** Marks the handler as waiting for a job of this type (undefined: unknown) until the returned function is called. */
  waitFor(type: string | undefined): () => void
}

let findCurrentHandler: (() => CurrentHandler | undefined) | null = null
let isTracking = false

/** undefined: the calling code runs in no handler, or handlers are not tracked. */
export function currentHandler(): CurrentHandler | undefined {
  return findCurrentHandler?.()
}

/** Call it when a client is created: its handlers may wait for results. */
export function enableHandlerTracking(): void {
  isTracking = true
}

/** Workers track the current handler once this is true. */
export function isHandlerTrackingOn(): boolean {
  return isTracking
}

export function provideCurrentHandler(find: () => CurrentHandler | undefined): void {
  findCurrentHandler = find
}

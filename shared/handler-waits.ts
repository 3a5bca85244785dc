/** Finds the handler that the calling code runs in, for the detection of handlers that wait for one another. */

/** The handler that the calling code runs in. */
export interface CurrentHandler {
  /** Marks the handler as waiting for a job of this type (undefined: unknown) until the returned function is called. */
  waitFor(type: string | undefined): () => void
}

let find: (() => CurrentHandler | undefined) | null = null
let isTracking = false

/** The handler of the calling code, if any. Also turns tracking on. */
export function currentHandler(): CurrentHandler | undefined {
  isTracking = true
  return find?.()
}

/** Turns tracking on: a client exists that may wait for results inside a handler. */
export function enableHandlerTracking(): void {
  isTracking = true
}

/** Workers track the current handler once this is true. */
export function isHandlerTrackingOn(): boolean {
  return isTracking
}

export function provideCurrentHandler(lookup: () => CurrentHandler | undefined): void {
  find = lookup
}

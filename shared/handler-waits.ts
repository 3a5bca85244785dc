/** Which handlers of this process wait for the results of other jobs: asked by clients, known to workers. */

/** The handler that the calling code runs in. */
export interface CurrentHandler {
  /** It waits for a job of this type (undefined: not known) until the returned function is called. */
  waitFor(type: string | undefined): () => void
}

let find: (() => CurrentHandler | undefined) | null = null
let isAsked = false

/** Called by whoever waits for results: before that, workers need not keep track. */
export function currentHandler(): CurrentHandler | undefined {
  isAsked = true
  return find?.()
}

/** A client exists that may wait inside of handlers. */
export function expectHandlerWaits(): void {
  isAsked = true
}

/** Workers keep track of the handler that code runs in only where somebody may ask. */
export function isHandlerAsked(): boolean {
  return isAsked
}

export function provideCurrentHandler(lookup: () => CurrentHandler | undefined): void {
  find = lookup
}

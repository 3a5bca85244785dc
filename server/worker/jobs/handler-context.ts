/** Runs handlers so that code inside of them knows its worker, across awaits. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { type CurrentHandler, isHandlerAsked, provideCurrentHandler } from '../../../shared/handler-waits.ts'

let storage: AsyncLocalStorage<CurrentHandler> | null = null

/** Costs nothing in processes that have no client: following asynchronous calls makes every promise slower. */
export function runInHandler<Result>(handler: CurrentHandler, run: () => Result): Result {
  if (!isHandlerAsked()) return run()
  if (!storage) {
    const opened = new AsyncLocalStorage<CurrentHandler>()
    provideCurrentHandler(() => opened.getStore())
    storage = opened
  }
  return storage.run(handler, run)
}

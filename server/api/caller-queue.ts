/** The queue as one caller has it: every verb is the procedure of the same meaning, which asks for its scope. */
import { TRPCError } from '@trpc/server'
import { QueueError } from '../../shared/errors.ts'
import type { Queue } from '../queue/queue.ts'
import type { ApiContext } from './context.ts'
import { isOurFault, toRefusal } from './errors.ts'
import { appRouter } from './router.ts'

export type CallerQueue = Pick<
  Queue,
  | 'enqueue'
  | 'claim'
  | 'exchange'
  | 'complete'
  | 'fail'
  | 'release'
  | 'holders'
  | 'get'
  | 'list'
  | 'stats'
  | 'types'
  | 'retry'
  | 'cancel'
  | 'remove'
  | 'cleanup'
  | 'updateSettings'
  | 'pause'
  | 'resume'
>

export function createCallerQueue(context: ApiContext): CallerQueue {
  const call = appRouter.createCaller(context)
  const listening = (signal: AbortSignal | undefined) => (signal ? appRouter.createCaller(context, { signal }) : call)
  const ask = <Value>(answer: Promise<Value>) => answer.catch(refuse)

  return {
    enqueue: (input) => ask(call.enqueue(input)),
    claim: (input, { signal } = {}) => ask(listening(signal).claim(input)),
    async exchange(input, { signal } = {}) {
      const { settled, ...taken } = await ask(listening(signal).exchange(input))
      return { settled: settled.map((one) => (one.ok ? one : { ok: false, error: toError(one.error) })), ...taken }
    },
    complete: (input) => ask(call.complete(input)),
    fail: (input) => ask(call.fail(input)),
    release: (input) => ask(call.release(input)),
    holders: (input) => ask(call.holders(input)),
    get: (input) => ask(call.get(input)),
    list: (input) => ask(call.list(input)),
    stats: (input) => ask(call.stats(input)),
    types: () => ask(call.types.list()),
    // The context says who is acting: a name given here would only be a claim.
    retry: ({ id }) => ask(call.retry({ id })),
    cancel: ({ id }) => ask(call.cancel({ id })),
    remove: ({ id }) => ask(call.remove({ id })),
    cleanup: ({ actor: _, ...input } = {}) => ask(call.cleanup(input)),
    updateSettings: ({ actor: _, ...input }) => ask(call.settings.update(input)),
    pause: () => ask(call.settings.pause()),
    resume: () => ask(call.settings.resume()),
  }
}

function toError({ code, message, details }: Pick<QueueError, 'code' | 'message' | 'details'>): QueueError {
  return new QueueError(code, message, details)
}

/** A fault of ours comes as it is: whoever answers reports it, and tells nobody else. */
function refuse(error: unknown): never {
  if (!(error instanceof TRPCError)) throw error
  throw isOurFault(error) ? (error.cause ?? error) : toRefusal(error)
}

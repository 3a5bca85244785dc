/** The queue with the permissions of one caller, for the REST adapters. */
import { fromSettledData } from '../../shared/outcomes.ts'
import type { Queue } from '../../shared/queue.ts'
import { defineVerbs, VERB_NAMES, VERBS, type Verb, type VerbResult } from '../../shared/verbs/verbs.ts'
import { CALLS, callVerb, type GuardedCall, guardedCall } from './calls/call-verb.ts'
import type { ApiContext } from './context.ts'

export type CallerQueue = Pick<Queue, Verb>

/** `exchange` returns its errors as JSON; see `fromSettledData`. */
type PlainVerb = Exclude<Verb, 'exchange'>

const calls: { readonly [Name in PlainVerb]: GuardedCall<VerbResult<Name>> } = CALLS

export function createCallerQueue(ctx: ApiContext): CallerQueue {
  return {
    ...defineVerbs(VERB_NAMES.filter(isPlain), (name, ...[input, context]) =>
      guardedCall(ctx, VERBS[name].path, calls[name], input, context),
    ),
    async exchange(input, context) {
      const { settled, ...claimed } = await callVerb(ctx, 'exchange', input, context)
      return { settled: settled.map(fromSettledData), ...claimed }
    },
  }
}

function isPlain(name: Verb): name is PlainVerb {
  return name !== 'exchange'
}

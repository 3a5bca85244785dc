/** The table of verbs: the tRPC procedure of each verb, from which the implementations of `Queue` are derived. */
import type { Queue } from '../queue.ts'

/** Verbs that are one request with one response. `export` streams, and `counts` is a part of `stats`. */
export type Verb = Exclude<keyof Queue, 'address' | 'close' | 'counts' | 'export'>

export interface VerbRow {
  /** The path of the procedure: 'enqueue', 'types.list'. */
  readonly path: string
  readonly type: 'mutation' | 'query'
  /** The input has a field `actor`. A server ignores it and takes the actor from the token. */
  readonly hasActor?: true
  /** Sent often by every worker: a response that does not begin in time means a dead connection. */
  readonly isFrequent?: true
}

export const VERBS = {
  enqueue: { path: 'enqueue', type: 'mutation' },
  enqueueMany: { path: 'enqueueMany', type: 'mutation' },

  claim: { path: 'claim', type: 'mutation', isFrequent: true },
  exchange: { path: 'exchange', type: 'mutation', isFrequent: true },
  heartbeat: { path: 'heartbeat', type: 'mutation', isFrequent: true },
  cancellations: { path: 'cancellations', type: 'query', isFrequent: true },
  complete: { path: 'complete', type: 'mutation' },
  fail: { path: 'fail', type: 'mutation' },
  release: { path: 'release', type: 'mutation' },
  progress: { path: 'progress', type: 'mutation', isFrequent: true },
  log: { path: 'log', type: 'mutation', isFrequent: true },

  get: { path: 'get', type: 'query' },
  list: { path: 'list', type: 'query' },
  holders: { path: 'holders', type: 'query' },
  stats: { path: 'stats', type: 'query' },
  history: { path: 'history', type: 'query' },
  depths: { path: 'depths', type: 'query' },
  result: { path: 'result', type: 'query', isFrequent: true },
  explain: { path: 'explain', type: 'query' },
  attempts: { path: 'attempts', type: 'query' },
  logs: { path: 'logs', type: 'query' },
  types: { path: 'types.list', type: 'query' },
  type: { path: 'types.get', type: 'query' },
  settings: { path: 'settings.get', type: 'query' },
  workers: { path: 'workers.list', type: 'query' },
  failureGroups: { path: 'failures.groups', type: 'query' },
  bulk: { path: 'bulk.status', type: 'query' },
  countBulk: { path: 'bulk.count', type: 'query' },
  auditTrail: { path: 'audit.list', type: 'query' },
  facts: { path: 'facts', type: 'query' },

  retry: { path: 'retry', type: 'mutation', hasActor: true },
  runNow: { path: 'runNow', type: 'mutation', hasActor: true },
  cancel: { path: 'cancel', type: 'mutation', hasActor: true },
  remove: { path: 'remove', type: 'mutation', hasActor: true },
  cleanup: { path: 'cleanup', type: 'mutation', hasActor: true },
  declareTypes: { path: 'types.declare', type: 'mutation', hasActor: true, isFrequent: true },
  updateType: { path: 'types.update', type: 'mutation', hasActor: true },
  pauseType: { path: 'types.pause', type: 'mutation', hasActor: true },
  resumeType: { path: 'types.resume', type: 'mutation', hasActor: true },
  updateSettings: { path: 'settings.update', type: 'mutation', hasActor: true },
  pause: { path: 'settings.pause', type: 'mutation', hasActor: true },
  resume: { path: 'settings.resume', type: 'mutation', hasActor: true },
  drainWorker: { path: 'workers.drain', type: 'mutation', hasActor: true },
  startBulk: { path: 'bulk.start', type: 'mutation', hasActor: true },
  cancelBulk: { path: 'bulk.cancel', type: 'mutation', hasActor: true },
  undoBulk: { path: 'bulk.undo', type: 'mutation', hasActor: true },

  createToken: { path: 'tokens.create', type: 'mutation', hasActor: true },
  tokens: { path: 'tokens.list', type: 'query' },
  revokeToken: { path: 'tokens.revoke', type: 'mutation', hasActor: true },
} as const satisfies Readonly<Record<Verb, VerbRow>>

export type VerbArguments<Name extends Verb> = Parameters<Queue[Name]>
export type VerbResult<Name extends Verb> = Awaited<ReturnType<Queue[Name]>>

/** The verbs as a mapped type, so that a generic function can define or call any of them. */
export type QueueVerbs = {
  readonly [Name in Verb]: (...args: VerbArguments<Name>) => Promise<VerbResult<Name>>
}

export const VERB_NAMES: readonly Verb[] = Object.keys(VERBS).filter(isVerb)

/**
 * Defines verbs by one function. `call` is generic in the name, so the compiler checks that it returns the result of that verb.
 * The object is built by a loop, which the type system cannot follow: `hasVerbs` checks the keys at run time instead.
 */
export function defineVerbs<Names extends Verb>(
  names: readonly Names[],
  call: <Name extends Names>(name: Name, ...args: VerbArguments<Name>) => Promise<VerbResult<Name>>,
): Pick<QueueVerbs, Names> {
  const verbs = Object.fromEntries(
    names.map((name) => [name, (...args: VerbArguments<typeof name>) => call(name, ...args)]),
  )
  if (!hasVerbs(verbs, names)) throw new Error('A verb is not defined.')
  return verbs
}

/** The input without `actor`. */
export function withoutActor(name: Verb, input: unknown): unknown {
  const { hasActor }: VerbRow = VERBS[name]
  if (!hasActor || typeof input !== 'object' || input === null || !('actor' in input)) return input
  const { actor: _, ...rest } = input
  return rest
}

export function isVerb(name: string): name is Verb {
  return Object.hasOwn(VERBS, name)
}

function hasVerbs<Names extends Verb>(verbs: object, names: readonly Names[]): verbs is Pick<QueueVerbs, Names> {
  return names.every((name) => Object.hasOwn(verbs, name))
}

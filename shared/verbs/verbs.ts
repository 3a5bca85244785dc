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

/** Functions, because clients contain the table, which is 1 kB smaller this way. */
const read = <Path extends string>(path: Path) => ({ path, type: 'query' }) as const
const write = <Path extends string>(path: Path) => ({ path, type: 'mutation' }) as const
const operate = <Path extends string>(path: Path) => ({ ...write(path), hasActor: true }) as const
const frequent = <Row extends object>(row: Row) => ({ ...row, isFrequent: true }) as const
const readSchedules = <Name extends string>(name: Name) => read(`schedules.${name}` as const)
const operateSchedules = <Name extends string>(name: Name) => operate(`schedules.${name}` as const)

export const VERBS = {
  enqueue: write('enqueue'),
  enqueueMany: write('enqueueMany'),

  claim: frequent(write('claim')),
  exchange: frequent(write('exchange')),
  heartbeat: frequent(write('heartbeat')),
  cancellations: frequent(read('cancellations')),
  complete: write('complete'),
  fail: write('fail'),
  release: write('release'),
  progress: frequent(write('progress')),
  log: frequent(write('log')),

  get: read('get'),
  list: read('list'),
  holders: read('holders'),
  stats: read('stats'),
  history: read('history'),
  depths: read('depths'),
  result: frequent(read('result')),
  explain: read('explain'),
  attempts: read('attempts'),
  logs: read('logs'),
  types: read('types.list'),
  type: read('types.get'),
  settings: read('settings.get'),
  workers: read('workers.list'),
  failureGroups: read('failures.groups'),
  groups: read('groups.list'),
  groupKeys: read('groups.keys'),
  groupKey: read('groups.key'),
  bulk: read('bulk.status'),
  countBulk: read('bulk.count'),
  auditTrail: read('audit.list'),
  facts: read('facts'),

  retry: operate('retry'),
  runNow: operate('runNow'),
  cancel: operate('cancel'),
  remove: operate('remove'),
  cleanup: operate('cleanup'),
  declareTypes: frequent(operate('types.declare')),
  updateType: operate('types.update'),
  pauseType: operate('types.pause'),
  resumeType: operate('types.resume'),
  updateSettings: operate('settings.update'),
  pause: operate('settings.pause'),
  resume: operate('settings.resume'),
  updateGroup: operate('groups.update'),
  drainWorker: operate('workers.drain'),
  startBulk: operate('bulk.start'),
  cancelBulk: operate('bulk.cancel'),
  undoBulk: operate('bulk.undo'),

  schedules: readSchedules('list'),
  schedule: readSchedules('get'),
  previewSchedule: readSchedules('preview'),
  explainSchedule: readSchedules('explain'),
  createSchedule: operateSchedules('create'),
  updateSchedule: operateSchedules('update'),
  pauseSchedule: operateSchedules('pause'),
  resumeSchedule: operateSchedules('resume'),
  runSchedule: operateSchedules('run'),
  deleteSchedule: operateSchedules('delete'),
  backfillSchedule: operateSchedules('backfill'),
  declareSchedules: frequent(operateSchedules('declare')),

  createToken: operate('tokens.create'),
  tokens: read('tokens.list'),
  revokeToken: operate('tokens.revoke'),
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

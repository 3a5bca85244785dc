/** Type prefixes of tokens: every type that a call names or touches must have the token's prefix. */
import { z } from 'zod'
import { QueueError } from '../../shared/errors.ts'
import { limits } from '../../shared/limits.ts'
import type { Engine } from '../engine/engine.ts'

type Fields = Readonly<Record<string, unknown>>
type Verbs = Pick<Engine, 'typesOf' | 'holders' | 'bulk' | 'types' | 'scheduleTypes'>

/** Returns the types that a call names, and those of the jobs it names. Empty: the call names none. null: no restriction. */
type Rule = (input: Fields, engine: Verbs) => readonly unknown[] | null | Promise<readonly unknown[] | null>

const fieldsOf = z.record(z.string(), z.unknown()).catch({})
const listOf = z.array(z.record(z.string(), z.unknown())).catch([])

const named =
  (key: string): Rule =>
  (input) => [input[key]]

const eachNamed =
  (list: string, key: string): Rule =>
  (input) =>
    listOf.parse(input[list]).map((one) => one[key])

const claimed: Rule = ({ types }) => (Array.isArray(types) ? types : [])

/** Null for unknown jobs: the procedure itself responds with NOT_FOUND. */
async function typesOfJobs(ids: readonly unknown[], engine: Verbs): Promise<readonly unknown[] | null> {
  const known = ids.filter((id) => typeof id === 'string').slice(0, limits.leases)
  const types = known.length === 0 ? [] : [...(await engine.typesOf(known)).values()]
  return types.length === 0 ? null : types
}

const job: Rule = ({ id }, engine) => typesOfJobs([id], engine)
const jobs: Rule = ({ ids }, engine) => typesOfJobs(z.array(z.unknown()).catch([]).parse(ids), engine)
const bulk: Rule = async ({ id }, engine) => [(await engine.bulk({ id: String(id) })).filter.type]
/** The group itself, and every type whose jobs it limits. */
const group: Rule = async ({ name }, engine) => {
  const types = (await engine.types()).filter(({ name: type, effective }) => (effective.group?.name ?? type) === name)
  return [name, ...types.map((type) => type.name)]
}

/** A shared group has one set of rules: settings that name it could hold the jobs of other types. */
function groupsIn(settings: unknown): readonly unknown[] {
  const { name } = fieldsOf.parse(fieldsOf.parse(settings).group)
  return name === undefined ? [] : [name]
}

/** The stored type, and with `set` the one that replaces it. Null for unknown schedules: the procedure itself responds with NOT_FOUND. */
const schedule: Rule = async ({ name, set }, engine) => {
  const given = fieldsOf.parse(set).type
  const types = [...(await engine.scheduleTypes([String(name)], null)), ...(given === undefined ? [] : [given])]
  return types.length === 0 ? null : types
}

/** Those that are declared, those that they replace, and those of the owner that become orphaned. */
const declaredSchedules: Rule = async ({ owner, schedules }, engine) => {
  const rows = listOf.parse(schedules)
  const names = rows.map(({ name }) => String(name))
  return [...rows.map(({ type }) => type), ...(await engine.scheduleTypes(names, String(owner)))]
}

/** For procedures that return nothing about jobs or types. */
const unrestricted: Rule = () => null

/** Procedures that are not listed concern the whole queue and are denied to such tokens. */
const RULES: Readonly<Record<string, Rule>> = {
  enqueue: named('type'),
  enqueueMany: eachNamed('jobs', 'type'),
  claim: claimed,
  async exchange({ settle, claim }, engine) {
    const settled = await typesOfJobs(
      listOf.parse(settle).map(({ id }) => id),
      engine,
    )
    if (claim === undefined) return settled
    const types = await claimed(fieldsOf.parse(claim), engine)
    return types === null || types.length === 0 ? [] : [...types, ...(settled ?? [])]
  },
  heartbeat: ({ leases }, engine) =>
    typesOfJobs(
      listOf.parse(leases).map(({ id }) => id),
      engine,
    ),
  cancellations: ({ leases }, engine) =>
    typesOfJobs(
      listOf.parse(leases).map(({ id }) => id),
      engine,
    ),
  complete: job,
  fail: job,
  release: job,
  progress: job,
  log: job,
  async holders(input, engine) {
    const held = await engine.holders(input)
    return held.length === 0 ? null : held.map(({ type }) => type)
  },
  get: job,
  explain: job,
  attempts: job,
  logs: job,
  result: jobs,
  list: named('type'),
  export: named('type'),
  stats: named('type'),
  history: named('type'),
  depths: named('type'),
  'failures.groups': named('type'),
  'types.get': named('name'),
  facts: unrestricted,
  'settings.get': unrestricted,
  retry: job,
  runNow: job,
  cancel: job,
  remove: job,
  cleanup: named('type'),
  'types.declare': ({ types }) => listOf.parse(types).flatMap((type) => [type.name, ...groupsIn(type.settings)]),
  'types.update': ({ name, set }) => [name, ...groupsIn(set)],
  'types.pause': named('name'),
  'types.resume': named('name'),
  'groups.keys': group,
  'groups.key': group,
  'groups.update': group,
  'bulk.count': ({ filter }) => [fieldsOf.parse(filter).type],
  'bulk.start': ({ filter }) => [fieldsOf.parse(filter).type],
  'bulk.status': bulk,
  'bulk.cancel': bulk,
  'bulk.undo': bulk,
  'schedules.list': named('type'),
  'schedules.get': schedule,
  'schedules.preview': ({ name }, engine) => (name === undefined ? null : schedule({ name }, engine)),
  'schedules.explain': schedule,
  'schedules.create': named('type'),
  'schedules.update': schedule,
  'schedules.pause': schedule,
  'schedules.resume': schedule,
  'schedules.run': schedule,
  'schedules.delete': schedule,
  'schedules.backfill': schedule,
  'schedules.declare': declaredSchedules,
}

const typed = z.object({ type: z.string() })

/** Checks a response: a claim that repeats the request id of another caller would return that caller's jobs. */
export function requirePrefixInResult(prefix: string, path: string, result: unknown): void {
  const jobsIn = fieldsOf.parse(result).jobs
  const rows = Array.isArray(result) ? result : Array.isArray(jobsIn) ? jobsIn : []
  for (const row of rows) {
    const one = typed.safeParse(row)
    if (one.success && !one.data.type.startsWith(prefix)) throw outside(prefix, path)
  }
}

export async function requirePrefix(
  prefix: string,
  call: { readonly path: string; readonly input: unknown; readonly engine: Verbs },
): Promise<void> {
  const rule = Object.hasOwn(RULES, call.path) ? RULES[call.path] : undefined
  if (!rule) {
    const message = `${call.path} concerns the whole queue; it needs a token without a type prefix.`
    throw new QueueError('FORBIDDEN', message, { typePrefix: prefix })
  }
  const types = await rule(fieldsOf.parse(call.input), call.engine)
  if (types === null) return
  if (types.length > 0 && types.every((type) => typeof type === 'string' && type.startsWith(prefix))) return
  throw outside(prefix, call.path)
}

function outside(prefix: string, path: string): QueueError {
  return new QueueError(
    'FORBIDDEN',
    `This token is restricted to types that begin with ${prefix}; name such types in ${path}, or use another token.`,
    { typePrefix: prefix },
  )
}

/** Tokens that know only some types: what each procedure's input names must begin with the token's prefix. */
import { z } from 'zod'
import { QueueError } from '../../shared/errors.ts'
import { limits } from '../../shared/limits.ts'
import type { Engine } from '../engine/engine.ts'

type Fields = Readonly<Record<string, unknown>>
type Verbs = Pick<Engine, 'typesOf' | 'holders' | 'bulk'>

/** The types that a call is about: all it names, and those of the jobs it names. Empty: it says none. null: any will do. */
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

/** What is not there is told so by the procedure itself. */
async function typesOfJobs(ids: readonly unknown[], engine: Verbs): Promise<readonly unknown[] | null> {
  const known = ids.filter((id) => typeof id === 'string').slice(0, limits.leases)
  const types = known.length === 0 ? [] : [...(await engine.typesOf(known)).values()]
  return types.length === 0 ? null : types
}

const job: Rule = ({ id }, engine) => typesOfJobs([id], engine)
const jobs: Rule = ({ ids }, engine) => typesOfJobs(z.array(z.unknown()).catch([]).parse(ids), engine)
const bulk: Rule = async ({ id }, engine) => [(await engine.bulk({ id: String(id) })).filter.type]
/** Tells of no job and no type. */
const harmless: Rule = () => null

/** A procedure that is not here is not for such tokens: it concerns the whole queue. */
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
  facts: harmless,
  'settings.get': harmless,
  retry: job,
  runNow: job,
  cancel: job,
  remove: job,
  cleanup: named('type'),
  'types.declare': eachNamed('types', 'name'),
  'types.update': named('name'),
  'types.pause': named('name'),
  'types.resume': named('name'),
  'bulk.count': ({ filter }) => [fieldsOf.parse(filter).type],
  'bulk.start': ({ filter }) => [fieldsOf.parse(filter).type],
  'bulk.status': bulk,
  'bulk.cancel': bulk,
  'bulk.undo': bulk,
}

const typed = z.object({ type: z.string() })

/** A claim that repeats somebody else's request would be answered with their jobs: nothing changes, but it is not for this eye. */
export function requireOwnAnswer(prefix: string, path: string, answer: unknown): void {
  const jobsIn = fieldsOf.parse(answer).jobs
  const rows = Array.isArray(answer) ? answer : Array.isArray(jobsIn) ? jobsIn : []
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
    `This token knows only types that begin with ${prefix}; name such types in ${path}, or use another token.`,
    { typePrefix: prefix },
  )
}

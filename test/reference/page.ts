/** docs/reference.md: every option, event, variable and error, read from the code that implements them. */
import type { z } from 'zod'
import { workerBounds } from '../../server/worker/start-worker.ts'
import { enqueueInput } from '../../shared/contracts/produce.ts'
import { scheduleSettingsSchema } from '../../shared/contracts/schedules.ts'
import { ERRORS, type ErrorCode } from '../../shared/errors.ts'
import { backoffSchema } from '../../shared/settings/backoff.ts'
import { queueSettingsSchema, typeSettingsSchema } from '../../shared/settings/settings.ts'
import { commandsSection } from './commands.ts'
import { environmentSection } from './environment.ts'
import { boundsOf, splitDefault } from './fields.ts'
import { code, table } from './markdown.ts'
import { type Exported, entryPoints, type Member, ROOT, withTypes } from './types.ts'
import { verbsSection } from './verbs.ts'

export const FILE = `${ROOT}docs/reference.md`

type Shape = Readonly<Record<string, z.ZodType>>

/** Schemas that validate the options of a type; bounds and defaults are read from them. */
export const SCHEMAS: Readonly<Record<string, Shape>> = {
  EnqueueInput: enqueueInput.shape,
  TypeSettings: typeSettingsSchema.shape,
  QueueSettings: queueSettingsSchema.shape,
  ScheduleSettingsInput: scheduleSettingsSchema.omit({ every: true, offset: true, spread: true }).shape,
  WorkerOptions: workerBounds.shape,
  TypedWorkerOptions: workerBounds.shape,
  FixedBackoff: backoffSchema.options[0].shape,
  LinearBackoff: backoffSchema.options[1].shape,
  ExponentialBackoff: backoffSchema.options[2].shape,
}

/** Types are printed in full, except these, which have their own section. */
const LINKED: Readonly<Record<string, string>> = {
  backoff: '[backoff](#backoff)',
  settings: '[type settings](#type-settings)',
}

export async function referencePage(): Promise<string> {
  const { types, files } = readTypes()
  const find = (name: string): Exported => {
    const found = types.get(name)
    if (!found) throw new Error(`No entry point exports ${name}; name another type in test/reference/page.ts.`)
    return found
  }
  const options = (name: string, leftOut: readonly string[] = []) => optionsTable(find(name), leftOut)
  const members = (name: string) => membersTable(find(name).members)

  return `${[
    '# Reference',
    'Made by `npm run reference` from the schemas, types and comments in the code; do not edit. Durations that end in `Ms` are ' +
      'milliseconds, instants that end in `At` are milliseconds UTC. [Which entry point is for me](entry-points.md) has examples.',
    '## Enqueue options',
    'Fields of `queue.enqueue(…)` and of the procedure `enqueue`. The typed client takes the payload first and these as options ' +
      '(`queue.sendEmail.enqueue(payload, { priority: 5 })`), without `type`, `payload`, `kind` and `face`; `tq(type).add` as well.',
    options('EnqueueInput'),
    '### Backoff',
    ...['FixedBackoff', 'LinearBackoff', 'ExponentialBackoff'].map((name) => `${find(name).doc}\n\n${options(name)}`),
    '## Job definitions',
    'Each entry of `defineJobs({ … })`.',
    options('JobDefinition'),
    '## Type settings',
    '`settings` of a job definition, the Types page of the dashboard, and `queue.updateType({ name, set })`, which overrides what code declares.',
    options('TypeSettings'),
    '## Queue settings',
    '`queue.updateSettings({ set })`, `queuectl config set` and the Settings page of the dashboard.',
    options('QueueSettings'),
    '## Schedules',
    'Each entry of `defineSchedules(jobs, { … })` names a `job` and has these without `type` and `kind`; `queue.createSchedule` takes them ' +
      'with a `name`, and `tq(type).schedule(name, …)` without `type`. [schedules.md](schedules.md) has the rules.',
    options('ScheduleSettingsInput'),
    'The third argument of `defineSchedules`:',
    options('DefineSchedulesOptions'),
    'A handler gets the `tick` of its job:',
    members('JobTick'),
    '## Client',
    '`createClient(options)`:',
    options('ClientOptions'),
    'and `schedules`, from `defineSchedules`, which `$declare()` declares.',
    'The client has a property for each job definition, with these methods; `enqueueTx` and `enqueueManyTx` only on a `queue` of this process:',
    members('TransactionalTypedQueue'),
    'and for the queue as a whole:',
    members('DeclaringClient'),
    'A job that was enqueued:',
    members('EnqueuedJob'),
    '`result(options)`:',
    options('WaitOptions'),
    '## Worker',
    'The last argument of `createWorker(queue, definitions, handlers, options)` and `startWorker(queue, handlers, options)`:',
    options('TypedWorkerOptions'),
    'The worker:',
    members('Worker'),
    'Its events, `worker.events.on(kind, listener)` and `worker.events.onAny(listener)`; `formatWorkerEvent(event)` makes a line for a log:',
    eventsTable(files('server/worker/events.ts'), 'WorkerEventMap'),
    'What a handler gets:',
    members('JobContext'),
    'What a handler may throw besides any other error, which is retried after the backoff:',
    table(
      ['error', 'meaning'],
      ['RetryLater', 'UnrecoverableError', 'Cancel', 'BadExit'].map((name) => [code(name), find(name).doc]),
    ),
    '## openQueue and openEngine',
    '`openQueue(url, options)`; `openEngine({ url, ...options })`:',
    options('OpenQueueOptions'),
    '## Dashboard in an application',
    '`createDashboard(queue, options)`:',
    options('DashboardOptions'),
    '## millrace/tq',
    '`tq.init(options)` and `createTq(options)`:',
    options('HostTqOptions'),
    'or, instead of `db`:',
    options(
      'UrlTqOptions',
      find('HostTqOptions').members.map(({ name }) => name),
    ),
    '`tq` itself:',
    members('TQ'),
    '`tq(type)`:',
    members('TaskTypeContext'),
    '`add(payload, options)` takes the enqueue options, and:',
    options(
      'millrace/tq EnqueueOptions',
      find('EnqueueInput').members.map(({ name }) => name),
    ),
    '`tq.stop(options)`:',
    options('StopOptions'),
    '`createTaskQueueRouter(queue, options)`:',
    options('TaskQueueRouterOptions'),
    '## millrace/simple',
    '`openSimpleQueue(path, options)`, or the same functions without it, on the file `DB_PATH`:',
    members('SimpleQueue'),
    '`enqueue(type, payload, options)`:',
    options('millrace/simple EnqueueOptions'),
    '## millrace/testing',
    '`createTestQueue(options)`:',
    options('TypedTestQueueOptions'),
    'It has the verbs of a queue (below) and:',
    membersTable(
      find('TestQueue').members.filter(({ name }) => !find('Queue').members.some((verb) => verb.name === name)),
    ),
    '## Verbs and procedures',
    'The verbs of a queue (`openQueue`, `openEngine`, `client.$queue`), and the tRPC procedure that each of them calls on a server, ' +
      'with the scope that a token needs.',
    await verbsSection(find('Queue').members),
    '## Queue events',
    '`engine.events.subscribe(({ id, event }) => …)`; `event.kind` is one of these:',
    eventsTable(files('server/engine/events.ts'), 'QueueEventMap'),
    'The procedure `events` sends frames that merge them:',
    membersTable(find('EventFrame').members),
    '## Webhooks',
    'One event, `job.failed`, is sent as a POST with this JSON body; [operations.md](operations.md#webhooks-for-failed-jobs) has the headers.',
    membersTable(find('WebhookBody').members),
    '## Environment variables',
    'Read by the server and by `queuectl`, from the environment or from `.env`.',
    environmentSection(),
    '## Error codes',
    '`code` of a `QueueError`; over HTTP `error.data.queueCode` (tRPC) with this status.',
    errorsTable(files('shared/errors.ts')),
    '## queuectl',
    '[queuectl.md](queuectl.md) and `queuectl help <command>` have the options.',
    commandsSection(),
  ].join('\n\n')}\n`
}

interface Types {
  /** By name; the second of two equal names is `millrace/simple EnqueueOptions`. */
  readonly types: ReadonlyMap<string, Exported>
  /** Exports of a source file that are not in the entry points. */
  readonly files: (file: string) => readonly Exported[]
}

function readTypes(): Types {
  const inner = new Map<string, readonly Exported[]>()
  const types = new Map<string, Exported>()
  withTypes((exportsOf) => {
    for (const [entry, file] of entryPoints()) {
      for (const one of exportsOf(file)) types.set(types.has(one.name) ? `${entry} ${one.name}` : one.name, one)
    }
    for (const file of ['server/engine/events.ts', 'server/worker/events.ts', 'shared/errors.ts'])
      inner.set(file, exportsOf(file))
  })
  return { types, files: (file) => inner.get(file) ?? [] }
}

function optionsTable({ name, members }: Exported, leftOut: readonly string[]): string {
  const shape = SCHEMAS[name]
  const rows = members
    .filter((member) => !leftOut.includes(member.name))
    .map((member) => {
      const schema = shape?.[member.name]
      const { bounds } = schema ? boundsOf(member.name, schema) : { bounds: '' }
      const { text, stated } = splitDefault(member.doc)
      const byDefault = stated ?? (member.isOptional ? 'none' : 'required')
      return [code(member.name), LINKED[member.name] ?? code(shortType(member.type)), byDefault, bounds, text]
    })
  return table(['name', 'type', 'default', 'bounds', 'meaning'], rows)
}

function shortType(type: string): string {
  return type
    .replace(/^ZodType<.*>$/, 'zod schema')
    .replace(/^\((\(.*\) => .*)\)$/, '$1')
    .replaceAll('readonly ', '')
    .replaceAll('"', "'")
}

function membersTable(members: readonly Member[]): string {
  const rows = members.map(({ name, parameters, doc }) => [
    code(parameters ? `${name}(${parameters.join(', ')})` : name),
    doc,
  ])
  return table(['name', 'meaning'], rows)
}

function eventsTable(exported: readonly Exported[], name: string): string {
  const events = exported.find((one) => one.name === name)?.members ?? []
  return table(
    ['kind', 'fields', 'meaning'],
    events.map((event) => [code(event.name), event.fields.map(code).join(' '), event.doc]),
  )
}

function errorsTable(exported: readonly Exported[]): string {
  const docs = new Map(exported.find(({ name }) => name === 'ERRORS')?.members.map(({ name, doc }) => [name, doc]))
  const isCode = (name: string): name is ErrorCode => name in ERRORS
  const rows = Object.keys(ERRORS)
    .filter(isCode)
    .map((name) => [code(name), String(ERRORS[name].http), docs.get(name) ?? ''])
  return table(['code', 'HTTP', 'meaning, and what to do'], rows)
}

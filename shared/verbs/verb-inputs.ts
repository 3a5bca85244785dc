/** Parsers of verb inputs: they check what a caller sent and apply the defaults. */
import { z } from 'zod'
import * as groups from '../contracts/groups.ts'
import * as observe from '../contracts/observe.ts'
import * as operate from '../contracts/operate.ts'
import * as schedules from '../contracts/schedules.ts'
import { tokenCreateInput } from '../contracts/tokens.ts'
import * as work from '../contracts/work.ts'
import { isStorable } from '../json/text.ts'
import type { CallContext, Queue } from '../queue.ts'
import { parseEnqueue, parseEnqueueMany } from './enqueue-input.ts'
import { parseExchange } from './exchange-input.ts'
import { parseInput } from './parse-input.ts'
import { defineVerbs, type Verb, type VerbArguments, type VerbResult } from './verbs.ts'

const actorName = z.string().min(1).max(255).refine(isStorable).default('local')

export function parseActor(actor: unknown): string {
  return parseInput(actorName, actor, 'actor')
}

const required =
  <Params>(schema: z.ZodType<Params>) =>
  (input: unknown): Params =>
    parseInput(schema, input)

const optional =
  <Params>(schema: z.ZodType<Params>) =>
  (input: unknown = {}): Params =>
    parseInput(schema, input)

/** `actor` is not a field of the schema: over HTTP it comes from the token. */
const withActor =
  <Params extends object>(parse: (input: unknown) => Params) =>
  (input: unknown): Params & { readonly actor: string } => {
    if (typeof input !== 'object' || input === null) return { ...parse(input), actor: parseActor(undefined) }
    const { actor, ...rest }: { readonly actor?: unknown } = input
    return { ...parse(rest), actor: parseActor(actor) }
  }

const job = required(observe.idInput)
const noFields: z.ZodType<object> = z.strictObject({})

/** Verbs without an input are not listed. */
export const PARSERS = {
  enqueue: parseEnqueue,
  enqueueMany: parseEnqueueMany,

  claim: required(work.claimInput),
  exchange: parseExchange,
  heartbeat: required(work.heartbeatInput),
  cancellations: required(work.cancellationsInput),
  complete: required(work.completeInput),
  fail: required(work.failInput),
  release: required(work.releaseInput),
  progress: required(work.progressInput),
  log: required(work.logInput),

  get: job,
  list: optional(observe.listInput),
  holders: required(work.holdersInput),
  stats: optional(observe.statsInput),
  history: optional(observe.historyInput),
  depths: optional(observe.depthsInput),
  result: required(observe.resultInput),
  explain: job,
  attempts: job,
  logs: required(observe.logsInput),
  type: required(observe.typeInput),
  failureGroups: optional(observe.failureGroupsInput),
  groups: optional(groups.groupsInput),
  groupKeys: required(groups.groupKeysInput),
  groupKey: required(groups.groupKeyInput),
  bulk: job,
  countBulk: required(operate.bulkCountInput),
  auditTrail: optional(observe.auditTrailInput),

  retry: withActor(job),
  runNow: withActor(job),
  cancel: withActor(job),
  remove: withActor(job),
  cleanup: withActor(optional(operate.cleanupInput)),
  declareTypes: withActor(required(operate.declareTypesInput)),
  updateType: withActor(required(operate.typeUpdateInput)),
  pauseType: withActor(required(observe.typeInput)),
  resumeType: withActor(required(observe.typeInput)),
  updateSettings: withActor(required(operate.settingsUpdateInput)),
  pause: withActor(optional(noFields)),
  resume: withActor(optional(noFields)),
  updateGroup: withActor(required(groups.groupUpdateInput)),
  drainWorker: withActor(required(operate.drainInput)),
  startBulk: withActor(required(operate.bulkInput)),
  cancelBulk: withActor(job),
  undoBulk: withActor(job),

  schedules: optional(schedules.schedulesInput),
  schedule: required(schedules.scheduleInput),
  previewSchedule: required(schedules.schedulePreviewInput),
  explainSchedule: required(schedules.scheduleInput),
  createSchedule: withActor(required(schedules.scheduleCreateInput)),
  updateSchedule: withActor(required(schedules.scheduleUpdateInput)),
  pauseSchedule: withActor(required(schedules.schedulePauseInput)),
  resumeSchedule: withActor(required(schedules.scheduleInput)),
  runSchedule: withActor(required(schedules.scheduleInput)),
  deleteSchedule: withActor(required(schedules.scheduleInput)),
  backfillSchedule: withActor(required(schedules.scheduleBackfillInput)),
  declareSchedules: withActor(required(schedules.declareSchedulesInput)),

  createToken: withActor(required(tokenCreateInput)),
  revokeToken: withActor(job),
} as const satisfies { readonly [Name in Verb]?: (input: unknown) => unknown }

type VerbWithInput = keyof typeof PARSERS

/** The parsed input of a verb. */
export type Params<Name extends VerbWithInput> = ReturnType<(typeof PARSERS)[Name]>

type ParsedVerb<Name extends VerbWithInput> = (params: Params<Name>, context?: CallContext) => Promise<VerbResult<Name>>

/** The verbs for callers that have parsed their input. */
export type ParsedVerbs = { readonly [Name in VerbWithInput]: ParsedVerb<Name> } & Pick<
  Queue,
  Exclude<Verb, VerbWithInput>
>

/** The verbs for callers that have not: each parses its input and calls the verb of the same name. */
export function parsingVerbs(verbs: ParsedVerbs): Pick<Queue, VerbWithInput> {
  const parsers: { readonly [Name in VerbWithInput]: (input: unknown) => Params<Name> } = PARSERS
  const parsed: { readonly [Name in VerbWithInput]: ParsedVerb<Name> } = verbs

  /** Not async: that would add three microtask turns to every call. */
  function call<Name extends VerbWithInput>(name: Name, ...args: VerbArguments<Name>): Promise<VerbResult<Name>> {
    const [input, context] = args
    try {
      return parsed[name](parsers[name](input), context)
    } catch (error) {
      return Promise.reject(error)
    }
  }
  return defineVerbs(Object.keys(PARSERS).filter(hasInput), call)
}

function hasInput(name: string): name is VerbWithInput {
  return Object.hasOwn(PARSERS, name)
}

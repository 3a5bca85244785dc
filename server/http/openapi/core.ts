/** OpenAPI operations of the core tRPC procedures; inputs and scopes come from the router. */
import { z } from 'zod'
import { enqueueInput } from '../../../shared/contracts/produce.ts'
import * as answers from '../../../shared/contracts/responses.ts'
import { settleInput } from '../../../shared/contracts/work.ts'
import { backoffSchema } from '../../../shared/settings/backoff.ts'
import { appRouter } from '../../api/router.ts'
import type { Operation } from './operation.ts'
import { scheduleComponents, scheduleProcedures } from './schedules.ts'

interface Core {
  readonly summary: string
  /** Schema of the result; null: no result. */
  readonly output: z.ZodType | null
}

const CORE: Readonly<Record<string, Core>> = {
  enqueue: { summary: 'Store a job', output: answers.enqueueResponse },
  enqueueMany: { summary: 'Store up to 1,000 jobs, all or none', output: z.array(answers.enqueueResponse) },
  claim: { summary: 'Claim jobs under a lease; `waitMs` waits for jobs', output: z.array(answers.claimedJob) },
  exchange: { summary: 'Settle jobs and claim new ones in one request', output: answers.exchangeResponse },
  heartbeat: { summary: 'Extend leases, and receive cancellations and drains', output: answers.heartbeatResponse },
  complete: { summary: 'Record success', output: answers.settleResponse },
  fail: { summary: 'Record a failed attempt; it is retried unless it was the last', output: answers.settleResponse },
  release: { summary: 'Return a job to the queue without counting an attempt', output: answers.settleResponse },
  progress: { summary: 'Report the progress of a running job, in percent', output: null },
  log: { summary: "Add lines to a running job's log", output: null },
  get: { summary: 'One job, with payload and result', output: answers.job },
  list: { summary: 'Jobs that match a filter, page by page', output: answers.listResponse },
  stats: { summary: 'Exact counts, throughput and latency', output: answers.statsResponse },
  result: { summary: 'Outcomes of jobs; `waitMs` waits for the first', output: answers.resultResponse },
  explain: { summary: 'Explain why a job is not running, or ran again', output: answers.explainResponse },
  retry: { summary: 'Run a finished job again', output: answers.actionResponse },
  runNow: { summary: 'Make a waiting job due at once', output: answers.actionResponse },
  cancel: { summary: 'Cancel a job; a running job is signalled to stop', output: answers.actionResponse },
  remove: { summary: 'Delete a job that is not running', output: answers.actionResponse },
  cleanup: { summary: 'Delete finished jobs', output: answers.cleanupResponse },
  ...scheduleProcedures,
}

const procedureError = z.object({
  error: z.object({
    message: z.string().describe('What is wrong, and what to do.'),
    code: z.int().describe('JSON-RPC error number.'),
    data: z.object({
      code: z.string(),
      httpStatus: z.int(),
      queueCode: z.string().describe('The code to decide by: STALE_CLAIM, NOT_FOUND, BAD_INPUT …'),
      details: z.record(z.string(), z.unknown()),
      path: z.string().optional(),
    }),
  }),
})

export const coreComponents: Readonly<Record<string, z.ZodType>> = {
  Backoff: backoffSchema,
  NewJob: enqueueInput,
  Settle: settleInput,
  Job: answers.job,
  ClaimedJob: answers.claimedJob,
  Stats: answers.statsResponse,
  ...scheduleComponents,
  ProcedureRefusal: procedureError,
}

export function coreOperations(): readonly Operation[] {
  return Object.entries(CORE).map(([name, core]) => procedureOperation(name, core))
}

function procedureOperation(name: string, { summary, output }: Core): Operation {
  const { isQuery, input, scope } = findProcedure(name)
  const data = output ? z.object({ data: output }) : z.object({})
  const isRequired = !input.safeParse(undefined).success
  return {
    method: isQuery ? 'get' : 'post',
    path: `/trpc/${name}`,
    id: name,
    tag: 'procedures',
    summary,
    description: `Requires the scope \`${scope}\` if the server has a token.`,
    ...(isQuery
      ? { parameters: [{ name: 'input', in: 'query', description: 'JSON.', schema: input, isJson: true, isRequired }] }
      : { body: { schema: input, isRequired } }),
    responses: {
      200: { description: 'Done.', schema: z.object({ result: data }) },
      '4XX': { description: 'Rejected; nothing was changed.', schema: procedureError },
      '5XX': { description: 'Busy, full or failed; the message names the reason.', schema: procedureError },
    },
  }
}

const definition = z.object({
  type: z.enum(['query', 'mutation']),
  inputs: z.tuple([z.object({ describedBy: z.instanceof(z.ZodType) })]),
  meta: z.object({ scopes: z.array(z.string()) }),
})

function findProcedure(name: string): { isQuery: boolean; input: z.ZodType; scope: string } {
  const procedure = new Map<string, object>(Object.entries(appRouter._def.procedures)).get(name)
  const { type, inputs, meta } = definition.parse(procedure && '_def' in procedure && procedure._def)
  return { isQuery: type === 'query', input: inputs[0].describedBy, scope: meta.scopes.join(' or ') }
}

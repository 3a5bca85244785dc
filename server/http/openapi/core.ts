/** The core procedures as operations: inputs, kinds and scopes are those of the router itself. */
import { z } from 'zod'
import { backoffSchema } from '../../../shared/backoff.ts'
import * as answers from '../../../shared/contracts/answers.ts'
import { enqueueInput } from '../../../shared/contracts/produce.ts'
import { settleInput } from '../../../shared/contracts/work.ts'
import { appRouter } from '../../api/router.ts'
import type { Operation } from './operation.ts'

interface Core {
  readonly summary: string
  /** null: success says nothing more. */
  readonly answer: z.ZodType | null
}

const CORE: Readonly<Record<string, Core>> = {
  enqueue: { summary: 'Store a job', answer: answers.enqueueAnswer },
  enqueueMany: { summary: 'Store up to 1,000 jobs, all or none', answer: z.array(answers.enqueueAnswer) },
  claim: { summary: 'Take jobs under a lease; `waitMs` waits for some', answer: z.array(answers.claimedJob) },
  exchange: { summary: 'Finish jobs and take new ones in one trip', answer: answers.exchangeAnswer },
  heartbeat: { summary: 'Extend leases, and hear what operators want', answer: answers.heartbeatAnswer },
  complete: { summary: 'Record success', answer: answers.settleAnswer },
  fail: { summary: 'Record a failed attempt; it is retried unless it was the last', answer: answers.settleAnswer },
  release: { summary: 'Give a job back as if it had not been claimed', answer: answers.settleAnswer },
  progress: { summary: 'Say how far a running job is, in percent', answer: null },
  log: { summary: "Add lines to a running job's log", answer: null },
  get: { summary: 'One job, with payload and result', answer: answers.job },
  list: { summary: 'Jobs that match a filter, page by page', answer: answers.listAnswer },
  stats: { summary: 'Exact counts, throughput and latency', answer: answers.statsAnswer },
  result: { summary: 'How jobs ended; `waitMs` waits for the first', answer: answers.resultAnswer },
  explain: { summary: 'Why a job is not running, or ran again', answer: answers.explainAnswer },
  retry: { summary: 'Run a finished job again', answer: answers.actAnswer },
  runNow: { summary: 'Make a waiting job due at once', answer: answers.actAnswer },
  cancel: { summary: 'Cancel a job; a running one is asked to stop', answer: answers.actAnswer },
  remove: { summary: 'Delete a job that is not running', answer: answers.actAnswer },
  cleanup: { summary: 'Delete finished jobs', answer: answers.cleanupAnswer },
}

const refusal = z.object({
  error: z.object({
    message: z.string().describe('What to do next, in one sentence.'),
    code: z.int().describe('The JSON-RPC number of the code.'),
    data: z.object({
      code: z.string(),
      httpStatus: z.int(),
      queueCode: z.string().describe('The one to look at: STALE_CLAIM, NOT_FOUND, BAD_INPUT …'),
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
  Stats: answers.statsAnswer,
  ProcedureRefusal: refusal,
}

export function coreOperations(): readonly Operation[] {
  return Object.entries(CORE).map(([name, core]) => procedureOperation(name, core))
}

function procedureOperation(name: string, { summary, answer }: Core): Operation {
  const { isQuery, input, scope } = procedureCalled(name)
  const data = answer ? z.object({ data: answer }) : z.object({})
  const isRequired = !input.safeParse(undefined).success
  return {
    method: isQuery ? 'get' : 'post',
    path: `/trpc/${name}`,
    id: name,
    tag: 'procedures',
    summary,
    description: `Needs the scope \`${scope}\` where tokens are asked for.`,
    ...(isQuery
      ? { parameters: [{ name: 'input', in: 'query', description: 'JSON.', schema: input, isJson: true, isRequired }] }
      : { body: { schema: input, isRequired } }),
    answers: {
      200: { description: 'Done.', schema: z.object({ result: data }) },
      '4XX': { description: 'Refused; nothing was changed.', schema: refusal },
      '5XX': { description: 'Busy, full or failed; the message says which.', schema: refusal },
    },
  }
}

const definition = z.object({
  type: z.enum(['query', 'mutation']),
  inputs: z.tuple([z.instanceof(z.ZodType)]),
  meta: z.object({ scopes: z.array(z.string()) }),
})

function procedureCalled(name: string): { isQuery: boolean; input: z.ZodType; scope: string } {
  const procedure = new Map<string, object>(Object.entries(appRouter._def.procedures)).get(name)
  const { type, inputs, meta } = definition.parse(procedure && '_def' in procedure && procedure._def)
  return { isQuery: type === 'query', input: inputs[0], scope: meta.scopes.join(' or ') }
}

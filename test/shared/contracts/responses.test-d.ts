/** The response schemas equal the response types of the procedures. */
import type { inferRouterOutputs } from '@trpc/server'
import { test } from 'vitest'
import type { z } from 'zod'
import type { AppRouter } from '../../../server/index.ts'
import type * as answers from '../../../shared/contracts/responses.ts'
import type { Attempt, ClaimedJob, Job, JobSummary } from '../../../shared/job.ts'

type Outputs = inferRouterOutputs<AppRouter>
type Of<Name extends keyof typeof answers> = z.output<(typeof answers)[Name]>

/** Mutually assignable, ignoring readonly. */
function same<A, B>(..._proof: [A] extends [B] ? ([B] extends [A] ? [] : [never]) : [never]): void {}

test('jobs', () => {
  same<Of<'job'>, Job>()
  same<Of<'jobSummary'>, JobSummary>()
  same<Of<'claimedJob'>, ClaimedJob>()
  same<Of<'attempt'>, Attempt>()
  // @ts-expect-error a job has more than its summary
  same<Of<'jobSummary'>, Job>()
})

test('procedures', () => {
  same<Of<'enqueueResponse'>, Outputs['enqueue']>()
  same<Of<'enqueueResponse'>[], Outputs['enqueueMany']>()
  same<Of<'exchangeResponse'>['settled'], [...Outputs['exchange']['settled']]>()
  same<Of<'heartbeatResponse'>['lost'], [...Outputs['heartbeat']['lost']]>()
  same<Of<'settleResponse'>, Outputs['complete']>()
  same<Of<'listResponse'>['total'], Outputs['list']['total']>()
  same<Of<'actionResponse'>, Outputs['remove']>()
  same<Of<'cleanupResponse'>, Outputs['cleanup']>()
  same<Of<'statsResponse'>, Outputs['stats']>()
  same<keyof Of<'resultResponse'>, keyof Outputs['result']>()
  same<Omit<Of<'explainResponse'>, 'history'>, Omit<Outputs['explain'], 'history'>>()
})

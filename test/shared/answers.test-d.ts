/** The schemas of answers say what the procedures answer: neither more nor less. */
import type { inferRouterOutputs } from '@trpc/server'
import { test } from 'vitest'
import type { z } from 'zod'
import type { AppRouter } from '../../server/index.ts'
import type * as answers from '../../shared/contracts/answers.ts'
import type { Attempt, ClaimedJob, Job, JobSummary } from '../../shared/job.ts'

type Outputs = inferRouterOutputs<AppRouter>
type Of<Name extends keyof typeof answers> = z.output<(typeof answers)[Name]>

/** Assignable both ways, whatever is readonly. */
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
  same<Of<'enqueueAnswer'>, Outputs['enqueue']>()
  same<Of<'enqueueAnswer'>[], Outputs['enqueueMany']>()
  same<Of<'exchangeAnswer'>['settled'], [...Outputs['exchange']['settled']]>()
  same<Of<'heartbeatAnswer'>['lost'], [...Outputs['heartbeat']['lost']]>()
  same<Of<'settleAnswer'>, Outputs['complete']>()
  same<Of<'listAnswer'>['total'], Outputs['list']['total']>()
  same<Of<'actAnswer'>, Outputs['remove']>()
  same<Of<'cleanupAnswer'>, Outputs['cleanup']>()
  same<Of<'statsAnswer'>, Outputs['stats']>()
  same<keyof Of<'resultAnswer'>, keyof Outputs['result']>()
  same<Omit<Of<'explainAnswer'>, 'history'>, Omit<Outputs['explain'], 'history'>>()
})

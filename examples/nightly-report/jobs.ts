/** The report job and its schedule: every night at 02:30 in Berlin. */
import { defineJobs, defineSchedules } from 'millrace'
import { z } from 'zod'

export const jobs = defineJobs({
  report: {
    payload: z.object({ format: z.enum(['pdf', 'csv']) }),
    result: z.object({ day: z.string() }),
  },
})

export const timezone = 'Europe/Berlin'

export const schedules = defineSchedules(
  jobs,
  {
    'nightly-report': {
      job: 'report',
      payload: { format: 'pdf' },
      cron: '30 2 * * *',
      timezone,
      pauseAfterFailures: 3,
    },
  },
  { owner: 'nightly-report-example' },
)

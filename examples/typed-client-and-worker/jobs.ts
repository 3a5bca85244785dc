/** Job definitions shared by producer and worker. */
import { defineJobs } from 'millrace'
import { z } from 'zod'

export const jobs = defineJobs({
  greet: {
    payload: z.object({ name: z.string().min(1) }),
    result: z.object({ greeting: z.string() }),
    settings: { maxAttempts: 5 },
  },
})

export const url = process.env.QUEUE_URL ?? 'http://127.0.0.1:3000'

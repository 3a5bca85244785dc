/** Suggestions for a schedule whose name is not found. */
import { QueueError } from '../../../../shared/errors.ts'
import { nearest } from '../../../../shared/json/nearest.ts'
import { limits } from '../../../../shared/limits.ts'
import type { Queue } from '../../../../shared/queue.ts'

/** Adds the nearest of the first schedules to NOT_FOUND. */
export async function withSuggestion<Result>(queue: Queue, name: string, call: () => Promise<Result>): Promise<Result> {
  try {
    return await call()
  } catch (error) {
    if (!(error instanceof QueueError) || error.code !== 'NOT_FOUND') throw error
    const { schedules } = await queue.schedules({ limit: limits.list })
    const names = schedules.map((schedule) => schedule.name)
    const meant = nearest(name, names, 3)
    const advice = meant ? `did you mean ${meant}?` : 'see queuectl schedule list.'
    throw new QueueError('NOT_FOUND', `There is no schedule ${name}; ${advice}`)
  }
}

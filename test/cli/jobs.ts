/** Job fixtures for queuectl tests. */
import type { Backend } from './backends.ts'

/** One job of every status, by status; each has its own type. */
export async function oneOfEach({ queue, take }: Backend): Promise<Record<string, string>> {
  const add = async (type: string, more: object = {}) =>
    (await queue.enqueue({ type, payload: { of: type }, ...more })).id
  const ids: Record<string, string> = {}
  ids.completed = await add('c')
  await queue.complete({ id: ids.completed, version: (await take('c')).version, result: { fine: true } })
  ids.failed = await add('f', { maxAttempts: 1 })
  await queue.fail({ id: ids.failed, version: (await take('f')).version, error: 'no such host', exitCode: 6 })
  ids.retrying = await add('r', { maxAttempts: 3, backoff: { kind: 'fixed', baseMs: 3_600_000 } })
  await queue.fail({ id: ids.retrying, version: (await take('r')).version, error: 'try later' })
  ids.cancelled = await add('x')
  await queue.cancel({ id: ids.cancelled })
  ids.scheduled = await add('s', { delayMs: 3_600_000 })
  ids.pending = await add('p', { dedupeKey: 'the-pending-one', priority: 4 })
  ids.processing = await add('w')
  await take('w')
  return ids
}

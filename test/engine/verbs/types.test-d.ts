/** Uses of the engine that must not compile: each line below is an error, or tsc fails. Nothing here runs. */
import type { Engine, QueueEvent } from '../../../server/index.ts'

const id = '018f6f0e-0000-7000-8000-000000000001'

export async function wrongInput(engine: Engine): Promise<void> {
  // @ts-expect-error a job needs a type
  await engine.enqueue({ payload: 1 })
  // @ts-expect-error a job needs a payload
  await engine.enqueue({ type: 'mail' })
  // @ts-expect-error unknown option
  await engine.enqueue({ type: 'mail', payload: 1, retries: 3 })
  // @ts-expect-error a priority is a number
  await engine.enqueue({ type: 'mail', payload: 1, priority: 'high' })
  // @ts-expect-error a backoff needs a kind
  await engine.enqueue({ type: 'mail', payload: 1, backoff: { baseMs: 1_000 } })
  // @ts-expect-error unknown kind of backoff
  await engine.enqueue({ type: 'mail', payload: 1, backoff: { kind: 'random', baseMs: 1_000 } })
  // @ts-expect-error a key is held until the job is removed or finished
  await engine.enqueue({ type: 'mail', payload: 1, dedupeKey: 'k', dedupeUntil: 'tomorrow' })
  // @ts-expect-error enqueueMany takes an object with jobs
  await engine.enqueueMany([{ type: 'mail', payload: 1 }])
  // @ts-expect-error a claim needs a worker
  await engine.claim({ types: ['mail'] })
  // @ts-expect-error types are a list
  await engine.claim({ worker: 'w', types: 'mail' })
  // @ts-expect-error complete needs the version of the claim
  await engine.complete({ id, result: 1 })
  // @ts-expect-error a failure needs an error
  await engine.fail({ id, version: 1 })
  // @ts-expect-error an error is a string
  await engine.fail({ id, version: 1, error: new Error('no route') })
  // @ts-expect-error a settlement needs a kind
  await engine.exchange({ worker: 'w', settle: [{ id, version: 1 }] })
  // @ts-expect-error the claim of an exchange has no worker
  await engine.exchange({ worker: 'w', claim: { worker: 'w' } })
  // @ts-expect-error unknown status
  await engine.list({ status: ['sleeping'] })
  // @ts-expect-error only finished jobs can be cleaned up
  await engine.cleanup({ status: ['pending'] })
  // @ts-expect-error unknown action
  await engine.startBulk({ action: 'shred', filter: {} })
  // @ts-expect-error unknown setting
  await engine.updateType({ name: 'mail', set: { colour: 'red' } })
  // @ts-expect-error an unknown setting cannot be cleared
  await engine.updateSettings({ clear: ['colour'] })
  // @ts-expect-error ids are a list
  await engine.result({ ids: id })
}

export async function wrongUse(engine: Engine): Promise<void> {
  const [job] = await engine.claim({ worker: 'w' })
  // @ts-expect-error there may be no job
  job.id
  // @ts-expect-error a payload is unknown until it was checked
  job?.payload.to
  // @ts-expect-error a claimed job is read-only
  if (job) job.version = 2
  const { outcomes } = await engine.result({ ids: [id] })
  // @ts-expect-error only a completed job has a result
  outcomes[0]?.result
  for (const outcome of outcomes) {
    // @ts-expect-error a completed job has no error
    if (outcome.status === 'completed') outcome.error
    // @ts-expect-error a missing job has no error
    if (outcome.status === 'missing') outcome.error
  }
  const { settled } = await engine.exchange({ worker: 'w', settle: [] })
  // @ts-expect-error a settle may have been refused
  settled[0]?.value.status
  const { counts } = await engine.stats()
  // @ts-expect-error unknown status
  counts.sleeping
  // @ts-expect-error isLeader is read-only
  engine.isLeader = true
}

export function wrongEvent(event: QueueEvent): void {
  // @ts-expect-error only job events have changes
  event.changes
}

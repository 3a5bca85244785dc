/** Uses of the engine that must not compile: each line below is an error, or tsc fails. Nothing here runs. */
import type { Engine, QueueEvent } from '../../../server/index.ts'

const id = '018f6f0e-0000-7000-8000-000000000001'

export async function wrongInput(engine: Engine): Promise<void> {
  // @ts-expect-error a job has a type
  await engine.enqueue({ payload: 1 })
  // @ts-expect-error a job has a payload
  await engine.enqueue({ type: 'mail' })
  // @ts-expect-error there is no such option
  await engine.enqueue({ type: 'mail', payload: 1, retries: 3 })
  // @ts-expect-error a priority is a number
  await engine.enqueue({ type: 'mail', payload: 1, priority: 'high' })
  // @ts-expect-error a backoff names its kind
  await engine.enqueue({ type: 'mail', payload: 1, backoff: { baseMs: 1_000 } })
  // @ts-expect-error there is no such kind of backoff
  await engine.enqueue({ type: 'mail', payload: 1, backoff: { kind: 'random', baseMs: 1_000 } })
  // @ts-expect-error a key is held until the job is removed or finished
  await engine.enqueue({ type: 'mail', payload: 1, dedupeKey: 'k', dedupeUntil: 'tomorrow' })
  // @ts-expect-error many jobs travel in one object
  await engine.enqueueMany([{ type: 'mail', payload: 1 }])
  // @ts-expect-error a claim names its worker
  await engine.claim({ types: ['mail'] })
  // @ts-expect-error types are a list
  await engine.claim({ worker: 'w', types: 'mail' })
  // @ts-expect-error a complete names the version it was claimed under
  await engine.complete({ id, result: 1 })
  // @ts-expect-error a failure needs an error
  await engine.fail({ id, version: 1 })
  // @ts-expect-error an error is a text
  await engine.fail({ id, version: 1, error: new Error('no route') })
  // @ts-expect-error a settlement needs a kind
  await engine.exchange({ worker: 'w', settle: [{ id, version: 1 }] })
  // @ts-expect-error the worker of an exchange is named once
  await engine.exchange({ worker: 'w', claim: { worker: 'w' } })
  // @ts-expect-error there is no such status
  await engine.list({ status: ['sleeping'] })
  // @ts-expect-error only finished jobs can be cleaned up
  await engine.cleanup({ status: ['pending'] })
  // @ts-expect-error there is no such act
  await engine.startBulk({ action: 'shred', filter: {} })
  // @ts-expect-error there is no such setting
  await engine.updateType({ name: 'mail', set: { colour: 'red' } })
  // @ts-expect-error nor can it be cleared
  await engine.updateSettings({ clear: ['colour'] })
  // @ts-expect-error ids come as a list
  await engine.result({ ids: id })
}

export async function wrongUse(engine: Engine): Promise<void> {
  const [job] = await engine.claim({ worker: 'w' })
  // @ts-expect-error there may be no job
  job.id
  // @ts-expect-error a payload is unknown until it was checked
  job?.payload.to
  // @ts-expect-error what was claimed is not changed in place
  if (job) job.version = 2
  const { outcomes } = await engine.result({ ids: [id] })
  // @ts-expect-error only a completed job has a result
  outcomes[0]?.result
  for (const outcome of outcomes) {
    // @ts-expect-error a completed job has no error
    if (outcome.status === 'completed') outcome.error
    // @ts-expect-error a missing job has neither
    if (outcome.status === 'missing') outcome.error
  }
  const { settled } = await engine.exchange({ worker: 'w', settle: [] })
  // @ts-expect-error a settle may have been refused
  settled[0]?.value.status
  const { counts } = await engine.stats()
  // @ts-expect-error there is no such status
  counts.sleeping
  // @ts-expect-error who leads is not decided by assignment
  engine.isLeader = true
}

export function wrongEvent(event: QueueEvent): void {
  // @ts-expect-error only events of jobs carry changes
  event.changes
}

/** Sample groups: a limit per tenant, a shared rate, strict order with a stopped key, and overrides of an operator. */
import type { Engine } from '../../../server/engine/engine.ts'
import type { EnqueueInput } from '../../../shared/contracts/produce.ts'
import { DAY, MINUTE } from '../../../shared/limits.ts'

const TENANTS = [
  'acme',
  'northwind',
  'globex',
  'initech',
  'umbrella',
  'hooli',
  'stark-industries',
  'wayne',
  'tyrell',
  'cyberdyne',
]
const ACTOR = 'token:ops'
/** Separate workers: a claim replaces the types that a worker claims. */
export const GROUP_WORKERS = ['tenants-1', 'deploy-1', 'ai-1'] as const
const [TENANTS_WORKER, DEPLOY_WORKER, AI_WORKER] = GROUP_WORKERS

/** Returns the id of a blocked job of acme. */
export async function fillGroups(engine: Engine): Promise<string> {
  await engine.declareTypes({
    types: [
      { name: 'sync_tenant', settings: { group: { key: '/tenantId', concurrency: 2 } } },
      { name: 'summarize', settings: { group: { name: 'openai', rate: { limit: 60, perMs: MINUTE, burst: 3 } } } },
      { name: 'translate', settings: { group: { name: 'openai' } } },
      { name: 'deploy', settings: { maxAttempts: 1, group: { key: '/env', order: 'strict', onDead: 'stop' } } },
    ],
  })
  const syncs = TENANTS.flatMap((tenantId, n) =>
    Array.from({ length: 64 - n * 6 }, (_, page) => ({ type: 'sync_tenant', payload: { tenantId, page } })),
  )
  const ids = await enqueue(engine, syncs)
  await enqueue(engine, [
    ...Array.from({ length: 24 }, (_, doc) => ({
      type: doc % 2 === 0 ? 'summarize' : 'translate',
      payload: { doc },
      group: doc % 3 === 0 ? 'us' : 'eu',
    })),
    ...['staging', 'staging', 'production'].map((env, build) => ({ type: 'deploy', payload: { env, build } })),
  ])
  await engine.claim({ worker: TENANTS_WORKER, types: ['sync_tenant'], limit: 14, leaseMs: DAY })
  const [deploy] = await engine.claim({ worker: DEPLOY_WORKER, types: ['deploy'], leaseMs: DAY })
  if (deploy) await engine.fail({ id: deploy.id, version: deploy.version, error: 'health check failed', retry: false })
  const [request] = await engine.claim({ worker: AI_WORKER, types: ['summarize', 'translate'], leaseMs: DAY })
  if (request) {
    // An hour, so that the key is still busy in all screenshots.
    const { id, version } = request
    await engine.release({ id, version, delayMs: 60 * MINUTE, groupBusy: true })
  }
  await engine.updateGroup({ name: 'sync_tenant', set: { rate: { limit: 10, perMs: 1_000 } }, actor: ACTOR })
  await engine.updateGroup({ name: 'sync_tenant', key: 'globex', set: { concurrency: 4 }, actor: ACTOR })
  await engine.updateGroup({ name: 'sync_tenant', key: 'hooli', set: { paused: true }, actor: ACTOR })
  // The jobs of acme are the first 64.
  return ids[63] ?? ''
}

async function enqueue(engine: Engine, jobs: EnqueueInput[]): Promise<readonly string[]> {
  return (await engine.enqueueMany({ jobs })).map(({ id }) => id)
}

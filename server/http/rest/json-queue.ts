/** The face at /api/queue: post a job, get the next one, put its outcome. Its refusals are worded as its clients know them. */
import { jobId } from '../../../shared/contracts/fields.ts'
import { QueueError } from '../../../shared/errors.ts'
import type { SettleResult } from '../../../shared/job.ts'
import { FACES, JSON_QUEUE_WORKER } from '../../../shared/sources.ts'
import type { Queue } from '../../queue/queue.ts'
import { type Answer, type Asked, byMethod, inWords, nothingHere } from './adapter.ts'
import { isWhole, refuse, requireKnown, single } from './fields.ts'

export type JsonQueueVerbs = Pick<Queue, 'enqueue' | 'claim' | 'complete' | 'fail' | 'release' | 'holders'>

const ATTEMPTS = 2
const TYPE_LENGTH = 100
const NOT_ACTIVE = 'Job not found or not active'

/** `path` starts behind /api/queue. */
export function jsonQueueFace(queue: JsonQueueVerbs, asked: Asked): Promise<Answer> {
  const [id, ...more] = asked.path
  if (id === undefined) return byMethod(asked, { GET: () => next(queue, asked), POST: () => add(queue, asked) })
  if (more.length === 0) return byMethod(asked, { PUT: () => settle(queue, id, asked) })
  return nothingHere('jobs are at /api/queue and /api/queue/:id.')
}

async function add(queue: JsonQueueVerbs, { body }: Asked): Promise<Answer> {
  const { type, data } = fieldsOf(await body())
  const name = typeName(type)
  if (data === undefined) refuse('data is required')
  try {
    const job = { type: name, payload: data, face: FACES.jsonQueue, maxAttempts: ATTEMPTS }
    const { id } = await inWords({ payload: 'data' }, () => queue.enqueue(job))
    return { status: 201, body: { id, status: 'waiting' } }
  } catch (error) {
    if (!(error instanceof QueueError) || error.code !== 'TOO_LARGE') throw error
    return refuse(`data exceeds ${error.details.maxBytes} bytes`)
  }
}

async function next(queue: JsonQueueVerbs, { query, signal }: Asked): Promise<Answer> {
  requireKnown(query, ['type'])
  const type = single(query, 'type')
  const types = type === undefined ? {} : { types: [typeName(type)] }
  const claim = { worker: JSON_QUEUE_WORKER, kind: 'job' as const, ...types }
  const [job] = await inWords({ 'types.0': 'type' }, () => queue.claim(claim, { signal }))
  if (!job) return { status: 204 }
  const { id, version, payload: data, attempts: attempt } = job
  return {
    status: 200,
    body: { id, type: job.type, data, version, attempt },
    undelivered: () => queue.release({ id, version }),
  }
}

async function settle(queue: JsonQueueVerbs, id: string, { body }: Asked): Promise<Answer> {
  const { status, result, error, version } = fieldsOf(await body())
  if (status !== 'completed' && status !== 'failed') refuse('status must be "completed" or "failed"')
  if (version !== undefined && !isWhole(version, 1, Number.MAX_SAFE_INTEGER)) {
    refuse('version must be the number that came with the job')
  }
  if (!jobId.safeParse(id).success) throw new QueueError('NOT_FOUND', NOT_ACTIVE)
  try {
    const lease = { id, version: version ?? (await ownVersion(queue, id)) }
    const reason = typeof error === 'string' && error !== '' ? error : 'Unknown error'
    const settled: SettleResult =
      status === 'completed'
        ? await queue.complete(result === undefined ? lease : { ...lease, result })
        : await queue.fail({ ...lease, error: reason, retry: false })
    if (settled.repeated) throw new QueueError('NOT_FOUND', NOT_ACTIVE)
    return { status: 200, body: { success: true } }
  } catch (refusal) {
    throw isGone(refusal) ? new QueueError('NOT_FOUND', NOT_ACTIVE) : refusal
  }
}

/** The claim that this face has open on a job: what it knows without a version. The settle is fenced by what is read here. */
async function ownVersion(queue: JsonQueueVerbs, id: string): Promise<number> {
  const [holder] = await queue.holders({ ids: [id] })
  if (holder?.status === 'processing' && holder.worker === JSON_QUEUE_WORKER) return holder.version
  throw new QueueError('NOT_FOUND', NOT_ACTIVE)
}

function isGone(error: unknown): boolean {
  return error instanceof QueueError && (error.code === 'NOT_FOUND' || error.code === 'STALE_CLAIM')
}

function typeName(type: unknown): string {
  if (typeof type !== 'string' || type === '') return refuse('type must be a non-empty string')
  return type.length <= TYPE_LENGTH ? type : refuse(`type must be ${TYPE_LENGTH} characters or less`)
}

function fieldsOf(body: unknown): Readonly<Record<string, unknown>> {
  return typeof body === 'object' && body !== null ? { ...body } : refuse('Request body must be an object')
}

/** REST adapter of /api/queue: add, claim and settle jobs. Error messages follow its specification. */

import { jobId } from '../../../shared/contracts/fields.ts'
import { QueueError } from '../../../shared/errors.ts'
import type { SettleResult } from '../../../shared/job.ts'
import type { Queue } from '../../../shared/queue.ts'
import { JSON_QUEUE_WORKER, SOURCES } from '../../../shared/sources.ts'
import { byMethod, noSuchRoute, type RestRequest, type RestResponse, withFieldNames } from './adapter.ts'
import { isWhole, optionalText, rejectInput, requireKnown, single } from './fields.ts'

export type JsonQueueVerbs = Pick<Queue, 'enqueue' | 'claim' | 'complete' | 'fail' | 'release' | 'holders'>

const ATTEMPTS = 2
const TYPE_LENGTH = 100
const NOT_ACTIVE = 'Job not found or not active'

/** `request.path` starts after /api/queue. */
export function jsonQueueAdapter(queue: JsonQueueVerbs, request: RestRequest): Promise<RestResponse> {
  const [id, ...more] = request.path
  if (id === undefined)
    return byMethod(request, { GET: () => claimNext(queue, request), POST: () => add(queue, request) })
  if (more.length === 0) return byMethod(request, { PUT: () => settle(queue, id, request) })
  return noSuchRoute('jobs are at /api/queue and /api/queue/:id.')
}

async function add(queue: JsonQueueVerbs, { body }: RestRequest): Promise<RestResponse> {
  const fields = fieldsOf(await body())
  const { type, data } = fields
  const name = typeName(type)
  if (data === undefined) rejectInput('data is required')
  try {
    const job = {
      type: name,
      payload: data,
      face: SOURCES.jsonQueue,
      maxAttempts: ATTEMPTS,
      group: optionalText(fields, 'group'),
    }
    const { id } = await withFieldNames({ payload: 'data' }, () => queue.enqueue(job))
    return { status: 201, body: { id, status: 'waiting' } }
  } catch (error) {
    if (!(error instanceof QueueError) || error.code !== 'TOO_LARGE') throw error
    return rejectInput(`data exceeds ${error.details.maxBytes} bytes`)
  }
}

async function claimNext(queue: JsonQueueVerbs, { query, signal }: RestRequest): Promise<RestResponse> {
  requireKnown(query, ['type'])
  const type = single(query, 'type')
  const types = type === undefined ? {} : { types: [typeName(type)] }
  const claim = { worker: JSON_QUEUE_WORKER, kind: 'job' as const, ...types }
  const [job] = await withFieldNames({ 'types.0': 'type' }, () => queue.claim(claim, { signal }))
  if (!job) return { status: 204 }
  const { id, version, payload: data, attempts: attempt } = job
  return {
    status: 200,
    body: { id, type: job.type, data, version, attempt },
    onUndelivered: () => queue.release({ id, version }),
  }
}

async function settle(queue: JsonQueueVerbs, id: string, { body }: RestRequest): Promise<RestResponse> {
  const { status, result, error, version } = fieldsOf(await body())
  if (status !== 'completed' && status !== 'failed') rejectInput('status must be "completed" or "failed"')
  if (version !== undefined && !isWhole(version, 1, Number.MAX_SAFE_INTEGER)) {
    rejectInput('version must be the number that came with the job')
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
  } catch (rejection) {
    throw isGone(rejection) ? new QueueError('NOT_FOUND', NOT_ACTIVE) : rejection
  }
}

/** Version of the claim that this adapter holds on a job, for clients that send none. It is the fencing token of the settle. */
async function ownVersion(queue: JsonQueueVerbs, id: string): Promise<number> {
  const [holder] = await queue.holders({ ids: [id] })
  if (holder?.status === 'processing' && holder.worker === JSON_QUEUE_WORKER) return holder.version
  throw new QueueError('NOT_FOUND', NOT_ACTIVE)
}

function isGone(error: unknown): boolean {
  return error instanceof QueueError && (error.code === 'NOT_FOUND' || error.code === 'STALE_CLAIM')
}

function typeName(type: unknown): string {
  if (typeof type !== 'string' || type === '') return rejectInput('type must be a non-empty string')
  return type.length <= TYPE_LENGTH ? type : rejectInput(`type must be ${TYPE_LENGTH} characters or less`)
}

function fieldsOf(body: unknown): Readonly<Record<string, unknown>> {
  return typeof body === 'object' && body !== null ? { ...body } : rejectInput('Request body must be an object')
}

/** REST adapter of /v1: post, read, acknowledge and count text messages. */

import type { ClaimedJob, Job } from '../../../shared/job.ts'
import { limits, SECOND } from '../../../shared/limits.ts'
import type { Queue } from '../../../shared/queue.ts'
import { MESSAGES_WORKER, SOURCES } from '../../../shared/sources.ts'
import { STATUSES, type StatusCounts } from '../../../shared/status.ts'
import { type MessageState, messageState } from '../../../shared/vocabulary.ts'
import { byMethod, noSuchRoute, type RestRequest, type RestResponse, withFieldNames } from './adapter.ts'
import {
  type Fields,
  isFields,
  isWhole,
  optionalText,
  readObject,
  rejectInput,
  requireKnown,
  single,
  wholeParameter,
} from './fields.ts'

export type MessageVerbs = Pick<Queue, 'enqueue' | 'claim' | 'exchange' | 'release' | 'holders' | 'stats' | 'types'> & {
  /** Reads the message that this request stored; needs no read scope. */
  readonly stored: Queue['get']
}

export interface MessageLimits {
  readonly getLimitDefault: number
  readonly getLimitMax: number
}

export const DEFAULT_TOPIC = 'messages'

/** Names of the queue's fields in this API. */
const FIELD_NAMES = { type: 'topic', 'types.0': 'topic', payload: 'body', dedupeKey: 'dedupe_key' }

/** `request.path` starts after /v1. */
export function messagesAdapter(
  queue: MessageVerbs,
  request: RestRequest,
  bounds: MessageLimits,
): Promise<RestResponse> {
  const [name, ...more] = request.path
  if (more.length === 0) {
    if (name === 'messages')
      return byMethod(request, { GET: () => take(queue, request, bounds), POST: () => post(queue, request) })
    if (name === 'acks') return byMethod(request, { POST: () => acknowledge(queue, request) })
    if (name === 'stats') return byMethod(request, { GET: () => count(queue) })
  }
  return noSuchRoute('there are /v1/messages, /v1/acks and /v1/stats.')
}

async function post(queue: MessageVerbs, request: RestRequest): Promise<RestResponse> {
  const fields = await readObject(request.body, '{"body": "hello"}')
  const { body } = fields
  if (typeof body !== 'string') return rejectInput('body must be a string.')
  const dedupeKey = optionalText(fields, 'dedupe_key')
  const job = {
    type: optionalText(fields, 'topic') ?? DEFAULT_TOPIC,
    payload: body,
    kind: 'message' as const,
    face: SOURCES.messages,
    ...(dedupeKey === undefined ? {} : { dedupeKey }),
    group: optionalText(fields, 'group'),
  }
  const { id, deduplicated } = await withFieldNames(FIELD_NAMES, () => queue.enqueue(job))
  return { status: deduplicated ? 200 : 201, body: toMessage(await queue.stored({ id })) }
}

async function take(queue: MessageVerbs, { query, signal }: RestRequest, bounds: MessageLimits): Promise<RestResponse> {
  requireKnown(query, ['limit', 'topic', 'visibility_timeout'])
  const limit = wholeParameter(query, 'limit', 1, bounds.getLimitMax) ?? bounds.getLimitDefault
  const topic = single(query, 'topic') ?? DEFAULT_TOPIC
  const seconds = wholeParameter(query, 'visibility_timeout', 1, limits.leaseMs.max / SECOND)
  const lease = seconds === undefined ? { settle: true } : { leaseMs: seconds * SECOND }
  const claim = { worker: MESSAGES_WORKER, types: [topic], kind: 'message' as const, ...lease }
  const taken = await withFieldNames(FIELD_NAMES, () =>
    claimUpTo(limit, (batch) => queue.claim({ ...claim, limit: batch }, { signal })),
  )
  const jobs = taken.toSorted((a, b) => a.seq - b.seq)
  if (seconds === undefined) return { status: 200, body: jobs.map(toMessage) }
  return {
    status: 200,
    body: jobs.map((job) => ({ ...toMessage(job), version: job.version })),
    onUndelivered: () => Promise.all(jobs.map(({ id, version }) => queue.release({ id, version }))),
  }
}

/**
 * Splits a limit above `limits.claim` into several claims, so that no commit grows larger. Messages of the first claims are archived
 * already, so they are delivered even if a later claim fails.
 */
async function claimUpTo(
  limit: number,
  claim: (count: number) => Promise<readonly ClaimedJob[]>,
): Promise<readonly ClaimedJob[]> {
  const jobs: ClaimedJob[] = []
  let length = 0
  while (jobs.length < limit && length < limits.bodyBytes) {
    const batch = Math.min(limits.claim, limit - jobs.length)
    try {
      const claimed = await claim(batch)
      jobs.push(...claimed)
      length += claimed.reduce((sum, { payload }) => sum + String(payload).length, 0)
      if (claimed.length < batch) break
    } catch (error) {
      if (jobs.length === 0) throw error
      break
    }
  }
  return jobs
}

/** Messages enqueued through another API may have any JSON as payload. */
function toMessage({ seq, createdAt, payload }: Job | ClaimedJob) {
  const body = typeof payload === 'string' ? payload : JSON.stringify(payload)
  return { id: seq, timestamp: new Date(createdAt).toISOString(), body }
}

interface Ack {
  readonly id: number
  readonly version: number
}

async function acknowledge(queue: MessageVerbs, request: RestRequest): Promise<RestResponse> {
  const acks = readAcks(await readObject(request.body, '{"acks": [{"id": 7, "version": 1}]}'))
  const holders = await queue.holders({ seqs: acks.map(({ id }) => id) })
  const heldIds = new Map(holders.filter(({ worker }) => worker === MESSAGES_WORKER).map(({ seq, id }) => [seq, id]))
  const known = acks.flatMap(({ id: seq, version }) => {
    const id = heldIds.get(seq)
    return id === undefined ? [] : [{ seq, kind: 'complete' as const, id, version }]
  })
  const acked = new Set<Ack['id']>()
  if (known.length > 0) {
    const settle = known.map(({ seq: _, ...lease }) => lease)
    const { settled } = await queue.exchange({ worker: MESSAGES_WORKER, settle })
    for (const [place, outcome] of settled.entries()) {
      const seq = known[place]?.seq
      if (outcome.ok && seq !== undefined) acked.add(seq)
      else if (!outcome.ok && !['STALE_CLAIM', 'NOT_FOUND'].includes(outcome.error.code)) throw outcome.error
    }
  }
  const asGiven = [...new Set(acks.map(({ id }) => id))]
  const stale = asGiven.filter((id) => !acked.has(id))
  return { status: 200, body: { acked: asGiven.filter((id) => acked.has(id)), stale } }
}

function readAcks({ acks }: Fields): readonly Ack[] {
  if (!Array.isArray(acks) || acks.length > limits.settle) {
    return rejectInput(
      `acks must be an array of at most ${limits.settle}, each with the id and the version of a message.`,
    )
  }
  return acks.map((ack: unknown, place) => {
    if (isFields(ack) && isNumber(ack.id) && isNumber(ack.version)) return { id: ack.id, version: ack.version }
    return rejectInput(`acks[${place}] must have the id and the version that came with the message, both numbers.`)
  })
}

function isNumber(value: unknown): value is number {
  return isWhole(value, 1, Number.MAX_SAFE_INTEGER)
}

async function count(queue: MessageVerbs): Promise<RestResponse> {
  const [{ byType }, types] = await Promise.all([queue.stats(), queue.types()])
  const topics = types
    .filter(({ kind }) => kind === 'message')
    .map(({ name }) => [name, inStates(byType[name])] as const)
  const total = { new: 0, claimed: 0, archived: 0 }
  for (const [, states] of topics) {
    total.new += states.new
    total.claimed += states.claimed
    total.archived += states.archived
  }
  return { status: 200, body: { ...total, topics: Object.fromEntries(topics) } }
}

function inStates(counts: StatusCounts | undefined): Record<MessageState, number> {
  const states = { new: 0, claimed: 0, archived: 0 }
  for (const status of STATUSES) states[messageState[status]] += counts?.[status] ?? 0
  return states
}

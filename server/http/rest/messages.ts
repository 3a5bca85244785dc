/** The face at /v1: post text messages, get them in order (archived at once, or after an ack), count them. */

import type { ClaimedJob, Job } from '../../../shared/job.ts'
import { limits, SECOND } from '../../../shared/limits.ts'
import { FACES, MESSAGES_WORKER } from '../../../shared/sources.ts'
import { STATUSES, type StatusCounts } from '../../../shared/status.ts'
import { type MessageState, messageState } from '../../../shared/vocabulary.ts'
import type { Queue } from '../../queue/queue.ts'
import { type Answer, type Asked, byMethod, inWords, nothingHere } from './adapter.ts'
import {
  type Fields,
  isFields,
  isWhole,
  optionalText,
  readObject,
  refuse,
  requireKnown,
  single,
  wholeParameter,
} from './fields.ts'

export type MessageVerbs = Pick<Queue, 'enqueue' | 'claim' | 'exchange' | 'release' | 'holders' | 'stats' | 'types'> & {
  /** Reads a message that this very request has stored. */
  readonly stored: Queue['get']
}

export interface MessageLimits {
  readonly getLimitDefault: number
  readonly getLimitMax: number
}

export const DEFAULT_TOPIC = 'messages'

const WORDS = { type: 'topic', 'types.0': 'topic', payload: 'body', dedupeKey: 'dedupe_key' }

/** `path` starts behind /v1. */
export function messagesFace(queue: MessageVerbs, asked: Asked, bounds: MessageLimits): Promise<Answer> {
  const [name, ...more] = asked.path
  if (more.length === 0) {
    if (name === 'messages')
      return byMethod(asked, { GET: () => take(queue, asked, bounds), POST: () => post(queue, asked) })
    if (name === 'acks') return byMethod(asked, { POST: () => acknowledge(queue, asked) })
    if (name === 'stats') return byMethod(asked, { GET: () => count(queue) })
  }
  return nothingHere('there are /v1/messages, /v1/acks and /v1/stats.')
}

async function post(queue: MessageVerbs, asked: Asked): Promise<Answer> {
  const fields = await readObject(asked.body, '{"body": "hello"}')
  const { body } = fields
  if (typeof body !== 'string') return refuse('body must be a string.')
  const dedupeKey = optionalText(fields, 'dedupe_key')
  const job = {
    type: optionalText(fields, 'topic') ?? DEFAULT_TOPIC,
    payload: body,
    kind: 'message' as const,
    face: FACES.messages,
    ...(dedupeKey === undefined ? {} : { dedupeKey }),
  }
  const { id, deduplicated } = await inWords(WORDS, () => queue.enqueue(job))
  return { status: deduplicated ? 200 : 201, body: toMessage(await queue.stored({ id })) }
}

async function take(queue: MessageVerbs, { query, signal }: Asked, bounds: MessageLimits): Promise<Answer> {
  requireKnown(query, ['limit', 'topic', 'visibility_timeout'])
  const limit = wholeParameter(query, 'limit', 1, bounds.getLimitMax) ?? bounds.getLimitDefault
  const topic = single(query, 'topic') ?? DEFAULT_TOPIC
  const seconds = wholeParameter(query, 'visibility_timeout', 1, limits.leaseMs.max / SECOND)
  const lease = seconds === undefined ? { settle: true } : { leaseMs: seconds * SECOND }
  const claim = { worker: MESSAGES_WORKER, types: [topic], kind: 'message' as const, ...lease }
  const taken = await inWords(WORDS, () =>
    claimUpTo(limit, (some) => queue.claim({ ...claim, limit: some }, { signal })),
  )
  const jobs = taken.toSorted((a, b) => a.seq - b.seq)
  if (seconds === undefined) return { status: 200, body: jobs.map(toMessage) }
  return {
    status: 200,
    body: jobs.map((job) => ({ ...toMessage(job), version: job.version })),
    undelivered: () => Promise.all(jobs.map(({ id, version }) => queue.release({ id, version }))),
  }
}

/**
 * One claim up to the limit of claims, several one after the other above it, so that no commit gets larger. What the first ones
 * took is archived already: when a later one is refused, it is still delivered.
 */
async function claimUpTo(
  limit: number,
  claim: (some: number) => Promise<readonly ClaimedJob[]>,
): Promise<readonly ClaimedJob[]> {
  const jobs: ClaimedJob[] = []
  let length = 0
  while (jobs.length < limit && length < limits.bodyBytes) {
    const some = Math.min(limits.claim, limit - jobs.length)
    try {
      const claimed = await claim(some)
      jobs.push(...claimed)
      length += claimed.reduce((sum, { payload }) => sum + String(payload).length, 0)
      if (claimed.length < some) break
    } catch (error) {
      if (jobs.length === 0) throw error
      break
    }
  }
  return jobs
}

/** A message that was enqueued in another way may hold any JSON. */
function toMessage({ seq, createdAt, payload }: Job | ClaimedJob) {
  const body = typeof payload === 'string' ? payload : JSON.stringify(payload)
  return { id: seq, timestamp: new Date(createdAt).toISOString(), body }
}

interface Ack {
  readonly id: number
  readonly version: number
}

async function acknowledge(queue: MessageVerbs, asked: Asked): Promise<Answer> {
  const acks = readAcks(await readObject(asked.body, '{"acks": [{"id": 7, "version": 1}]}'))
  const holders = await queue.holders({ seqs: acks.map(({ id }) => id) })
  const ours = new Map(holders.filter(({ worker }) => worker === MESSAGES_WORKER).map(({ seq, id }) => [seq, id]))
  const known = acks.flatMap(({ id: seq, version }) => {
    const id = ours.get(seq)
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
    return refuse(`acks must be an array of at most ${limits.settle}, each with the id and the version of a message.`)
  }
  return acks.map((ack: unknown, place) => {
    if (isFields(ack) && isNumber(ack.id) && isNumber(ack.version)) return { id: ack.id, version: ack.version }
    return refuse(`acks[${place}] must have the id and the version that came with the message, both numbers.`)
  })
}

function isNumber(value: unknown): value is number {
  return isWhole(value, 1, Number.MAX_SAFE_INTEGER)
}

async function count(queue: MessageVerbs): Promise<Answer> {
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

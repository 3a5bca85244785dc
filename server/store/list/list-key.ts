/** Sort keys of jobs in lists, and the opaque cursor made of them. */
import { z } from 'zod'
import type { ListParams } from '../../../shared/contracts/observe.ts'
import { QueueError } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'

export type Sort = ListParams['sort']

/** Lists by seq ignore `priority` and `runAt`. */
export interface Key {
  readonly seq: number
  readonly priority: number
  readonly runAt: number
}

/** The start of a page: behind a job (null: at the beginning), after skipping some matches. */
export interface Position {
  readonly key: Key | null
  readonly skip: number
}

export interface NextPosition extends Position {
  readonly key: Key
}

const seq = z.int().min(0)
const skipped = z.int().min(0).max(limits.offset)
const cursorSchema = z.union([
  z.tuple([z.enum(['newest', 'oldest']), skipped, seq]),
  z.tuple([z.literal('claim'), skipped, seq, z.int(), z.int()]),
])

export function compareKeys(sort: Sort): (a: Key, b: Key) => number {
  switch (sort) {
    case 'newest':
      return (a, b) => b.seq - a.seq
    case 'oldest':
      return (a, b) => a.seq - b.seq
    case 'claim':
      return (a, b) => b.priority - a.priority || a.runAt - b.runAt || a.seq - b.seq
  }
}

export function encodeCursor(sort: Sort, { key, skip }: NextPosition): string {
  const keys = sort === 'claim' ? [key.seq, key.priority, key.runAt] : [key.seq]
  return Buffer.from(JSON.stringify([sort, skip, ...keys])).toString('base64url')
}

export function decodeCursor(sort: Sort, cursor: string): NextPosition {
  const parsed = cursorSchema.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString()))
  if (!parsed.success || parsed.data[0] !== sort) {
    throw new QueueError(
      'BAD_INPUT',
      `This cursor does not belong to a list sorted by ${sort}; drop it and start from the first page.`,
    )
  }
  const [, skip, lastSeq, priority = 0, runAt = 0] = parsed.data
  return { key: { seq: lastSeq, priority, runAt }, skip }
}

export function startOf(params: ListParams): Position {
  if (params.cursor !== undefined) return decodeCursor(params.sort, params.cursor)
  return { key: null, skip: params.offset ?? ((params.page ?? 1) - 1) * params.limit }
}

export function tooManyToSort(): QueueError {
  return new QueueError(
    'BAD_INPUT',
    'There are too many jobs to sort by claim order in time; filter by type or status (pending needs no sorting), or sort by newest.',
  )
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

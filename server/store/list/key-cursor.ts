/** The opaque cursor of a page of keys: the sort value of its last key, and the key. */
import { z } from 'zod'
import { QueueError } from '../../../shared/errors.ts'
import type { GroupKeysParams } from '../records.ts'

type Sort = GroupKeysParams['sort']

/** The last key of a page. Keys are sorted by descending rank, then by key. */
export interface RankedKey {
  readonly rank: number
  readonly key: string
}

const cursorSchema = z.tuple([z.enum(['blocked', 'oldest', 'running']), z.number(), z.string()])

export function encodeKeyCursor(sort: Sort, { rank, key }: RankedKey): string {
  return Buffer.from(JSON.stringify([sort, rank, key])).toString('base64url')
}

/** null: the first page. */
export function decodeKeyCursor(sort: Sort, cursor: string | null): RankedKey | null {
  if (cursor === null) return null
  const parsed = cursorSchema.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString()))
  if (!parsed.success || parsed.data[0] !== sort) {
    throw new QueueError(
      'BAD_INPUT',
      `This cursor does not belong to a list of keys sorted by ${sort}; drop it and start from the first page.`,
    )
  }
  const [, rank, key] = parsed.data
  return { rank, key }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

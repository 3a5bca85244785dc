/** Columns of a list key. */
import type { Key } from '../list/list-key.ts'
import { columnsOf, type RowOf } from './tables.ts'

const KEY = columnsOf('jobs', ['seq', 'priority', 'runAt'])

/** Of `millrace_jobs j`. */
export const KEY_COLUMNS = KEY.of('j')
/** For lists by seq, which ignore the other two. Without them most of the indexes are covering. */
export const SEQ_COLUMNS = 'j.seq, 0 AS priority, 0 AS "runAt"'

/** A row of either list of columns is a key. */
export type KeyRow = RowOf<typeof KEY> & Key

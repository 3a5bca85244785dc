/** Refuses a file that is not there, before anything would make it. */
import { existsSync } from 'node:fs'
import { EXIT, Refusal } from '../exit-codes.ts'
import type { Where } from './where.ts'

/** A mistyped path must not become a new, empty queue. */
export function requireFile(where: Where): void {
  if (where.kind !== 'sqlite' || existsSync(where.file)) return
  throw new Refusal(
    EXIT.unreachable,
    `There is no queue at ${where.file}. Make one with queuectl init, or say where it is with --url, MILLRACE_URL, DATABASE_URL or DB_PATH.`,
  )
}

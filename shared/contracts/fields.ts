/** Field schemas shared by several contracts. */
import { z } from 'zod'
import { isStorable } from '../json/text.ts'
import { limits } from '../limits.ts'
import { RESERVED_PREFIX } from '../reserved-types.ts'
import { STATUSES } from '../status.ts'
import { textUpTo } from './bounds.ts'

const PRINTABLE = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+$/u

export const storable = (max: number) =>
  z.string().min(1).max(max).refine(isStorable, 'contains a NUL or a lone surrogate; remove it')

export const typeName = textUpTo(limits.typeLength).regex(
  PRINTABLE,
  'must be printable characters only, without line breaks or control characters',
)
/** Type names that clients may use; the prefix `millrace.` is reserved for the queue. */
export const clientTypeName = typeName.refine((name) => !name.startsWith(RESERVED_PREFIX), {
  message: `must not start with ${RESERVED_PREFIX}`,
})
export const groupName = typeName
/** Group names that clients may declare; the prefix `millrace.` is reserved for the queue. */
export const clientGroupName = clientTypeName
/** The part of a group that a job belongs to, such as a tenant. */
export const groupKey = textUpTo(limits.keyLength).regex(
  PRINTABLE,
  'must be printable characters only, without line breaks or control characters',
)
export const workerName = textUpTo(limits.workerLength).regex(PRINTABLE, 'must be printable characters only')
export const workerSlots = z.int().min(1).max(limits.concurrency)
export const workerVersion = textUpTo(limits.workerVersionLength).regex(PRINTABLE, 'must be printable characters only')
export const workerProcess = textUpTo(limits.workerProcessLength).regex(PRINTABLE, 'must be printable characters only')
export const jobId = z.uuid()
export const version = z.int().min(1)
export const instant = z.int().min(0).max(limits.instant)
export const statusList = z.array(z.enum(STATUSES)).max(STATUSES.length)
export const leaseMs = z.int().min(limits.leaseMs.min).max(limits.leaseMs.max)
export const delayMs = z.int().min(0).max(limits.delayMs)
export const waitMs = z.int().min(0).max(limits.waitMs).default(0)

/** Row limit of a list without a cursor. */
export const rows = (byDefault: number, max: number) => z.int().min(1).max(max).default(byDefault)

/** The fields that several contracts share, each with its bounds. */
import { z } from 'zod'
import { isStorable } from '../json/text.ts'
import { limits } from '../limits.ts'
import { OWN_TYPES } from '../reserved-types.ts'
import { STATUSES } from '../status.ts'

const PRINTABLE = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+$/u

export const storable = (max: number) =>
  z.string().min(1).max(max).refine(isStorable, 'contains a NUL or a lone surrogate; remove it')

export const typeName = z
  .string()
  .min(1)
  .max(limits.typeLength)
  .regex(PRINTABLE, 'must be printable characters only, without line breaks or control characters')
/** Of jobs that callers make: `millrace.` begins the names of those that the queue makes itself. */
export const ownTypeName = typeName.refine((name) => !name.startsWith(OWN_TYPES), {
  message: `must not begin with ${OWN_TYPES}`,
})
export const workerName = z
  .string()
  .min(1)
  .max(limits.workerLength)
  .regex(PRINTABLE, 'must be printable characters only')
export const workerSlots = z.int().min(1).max(limits.concurrency)
export const workerVersion = z
  .string()
  .min(1)
  .max(limits.workerVersionLength)
  .regex(PRINTABLE, 'must be printable characters only')
export const workerProcess = z
  .string()
  .min(1)
  .max(limits.workerProcessLength)
  .regex(PRINTABLE, 'must be printable characters only')
export const jobId = z.uuid()
export const version = z.int().min(1)
export const instant = z.int().min(0).max(limits.instant)
export const statusList = z.array(z.enum(STATUSES)).max(STATUSES.length)
export const leaseMs = z.int().min(limits.leaseMs.min).max(limits.leaseMs.max)
export const delayMs = z.int().min(0).max(limits.delayMs)
export const waitMs = z.int().min(0).max(limits.waitMs).default(0)

/** How many rows of a list that has no cursor. */
export const rows = (byDefault: number, max: number) => z.int().min(1).max(max).default(byDefault)

/** What anybody may ask. */
import { z } from 'zod'
import { limits } from '../limits.ts'
import { isStorable } from '../text.ts'
import { instant, jobId, rows, statusList, storable, typeName, waitMs, workerName } from './fields.ts'

const jsonScalar = z.union([
  z.string().max(limits.keyLength).refine(isStorable, 'contains a NUL or a lone surrogate'),
  z.number(),
  z.boolean(),
  z.null(),
])

/** Which jobs: shared by list, export and bulk. */
export const jobFilter = z.strictObject({
  /** Only jobs with these ids; unknown ids are ignored. */
  ids: z.array(jobId).min(1).max(limits.filterIds).optional(),
  /** Only jobs whose id ends with these characters. */
  idEnd: z
    .string()
    .regex(/^[\da-f-]{4,36}$/, 'must be the last 4 to 36 characters of an id, in lower case')
    .optional(),
  /** Only jobs with these statuses. */
  status: statusList.optional(),
  /** Of the pending jobs only those that were tried before (`retried`), or only those that were not (`fresh`); default: both. */
  pending: z.enum(['retried', 'fresh']).optional(),
  /** Only jobs of this type. */
  type: typeName.optional(),
  /** Only jobs that this worker holds or has completed. */
  worker: workerName.optional(),
  /** Only jobs with this priority. */
  priority: z.int().min(-limits.priority).max(limits.priority).optional(),
  /**
   * Only jobs with this value in their payload: `{ path: 'user.id', equals: 42 }`; positions in arrays are numbers,
   * `items.0.sku`.
   */
  payload: z
    .strictObject({
      path: z
        .string()
        .min(1)
        .max(200)
        .regex(/^[\p{L}\p{N}_$-]+(?:\.[\p{L}\p{N}_$-]+)*$/u, 'must be names joined by dots'),
      equals: jsonScalar,
    })
    .refine(({ path }) => path.split('.').filter((part) => /^\d+$/.test(part)).length <= limits.pathPositions, {
      message: `has more than ${limits.pathPositions} numeric parts; compare a place less deep`,
      path: ['path'],
    })
    .optional(),
  /** Only jobs whose id, type, dedupe key, error or payload contains this text; ASCII letters match in either case. */
  search: storable(limits.searchLength).optional(),
  /** Only jobs whose error contains this text. */
  error: storable(limits.searchLength).optional(),
  /** Only jobs whose last error belongs to this failure group; a message without text has the key ''. */
  errorKey: z
    .string()
    .max(limits.errorKeyLength)
    .refine(isStorable, 'contains a NUL or a lone surrogate; remove it')
    .optional(),
  /** Only jobs created at this instant or later, in milliseconds UTC. */
  from: instant.optional(),
  /** Only jobs created before this instant, in milliseconds UTC. */
  to: instant.optional(),
})

export const listInput = jobFilter
  .extend({
    /** `newest` or `oldest` first, or `claim`: in the order in which they would be claimed; default `newest`. */
    sort: z.enum(['newest', 'oldest', 'claim']).default('newest'),
    /** How many jobs a page has; default 50. */
    limit: z.int().min(1).max(limits.list).default(50),
    /** The `nextCursor` of the last page; not together with `page` or `offset`. */
    cursor: z.string().max(200).optional(),
    /** The number of the page, from 1; not together with `cursor` or `offset`. */
    page: z.int().min(1).max(limits.offset).optional(),
    /** How many jobs to skip; not together with `cursor` or `page`. */
    offset: z.int().min(0).max(limits.offset).optional(),
    /** Whether to return payloads as well, which can be large; default false. */
    payloads: z.boolean().default(false),
  })
  .refine((input) => [input.cursor, input.page, input.offset].filter((given) => given !== undefined).length <= 1, {
    message: 'give one of cursor, page and offset',
    path: ['cursor'],
  })
  .refine((input) => ((input.page ?? 1) - 1) * input.limit <= limits.offset, {
    message: `reaches past the first ${limits.offset} jobs; follow nextCursor instead`,
    path: ['page'],
  })

export const resultInput = z.strictObject({
  /** The ids of the jobs. */
  ids: z.array(jobId).min(1).max(limits.results),
  /** How long to wait until one of them has ended, in milliseconds; default 0. */
  waitMs,
})

/** Of procedures that need none: what somebody sends by mistake is not passed over in silence. */
export const noInput = z.strictObject({}).optional()
/** One job, or one bulk operation. */
export const idInput = z.strictObject({
  /** The id of the job or bulk operation. */
  id: jobId,
})
export const typeInput = z.strictObject({
  /** The name of the type. */
  name: typeName,
})
export const statsInput = z.strictObject({
  /** Only this type; default: all types. */
  type: typeName.optional(),
})
/** The last so many minutes, at most a day of them; `together`: one row a minute for all types, with empty histograms. */
export const historyInput = z.strictObject({
  /** How many minutes, counted back from now; default 60. */
  minutes: rows(60, 1_440),
  /** Only this type; default: all types. */
  type: typeName.optional(),
  /** One row a minute for all types together, with empty histograms; default false. */
  together: z.boolean().default(false),
})
/** The last so many minutes that are over. */
export const depthsInput = z.strictObject({
  /** How many minutes, counted back from now; default 60. */
  minutes: rows(60, 1_440),
  /** Only this type; default: all types. */
  type: typeName.optional(),
})
/** `after` is the id of the last line you have. */
export const logsInput = z.strictObject({
  /** The id of the job. */
  id: jobId,
  /** The id of the last line you have; default 0. */
  after: z.int().min(0).default(0),
  /** How many lines; default 200. */
  limit: rows(200, 1_000),
})
export const failureGroupsInput = z.strictObject({
  /** Only this type; default: all types. */
  type: typeName.optional(),
  /** How many groups; default 100. */
  limit: rows(100, 500),
})
/** Newest first; `before` is the id of the last entry you have. */
export const auditTrailInput = z.strictObject({
  /** Only entries about this job or type. */
  target: storable(limits.keyLength).optional(),
  /** The id of the last entry you have. */
  before: z.int().min(1).optional(),
  /** How many entries; default 100. */
  limit: rows(100, 500),
})
/** Where an event stream goes on; tRPC clients send it by themselves when they reconnect. */
export const eventsInput = z
  .strictObject({
    lastEventId: z.string().max(100).nullish(),
  })
  .optional()

/** Which jobs: shared by list, export and bulk operations. */
export type JobFilter = z.output<typeof jobFilter>
/** Which jobs to list, in which order, and which page of them. */
export type ListInput = z.input<typeof listInput>
/** ListInput with its defaults filled in. */
export type ListParams = z.output<typeof listInput>
/** Whose outcomes to read, and how long to wait for the first. */
export type ResultInput = z.input<typeof resultInput>
/** One job, or one bulk operation, by its id. */
export type IdInput = z.input<typeof idInput>
/** One type, by its name. */
export type TypeInput = z.input<typeof typeInput>
/** Which type the numbers are about. */
export type StatsInput = z.input<typeof statsInput>
/** Which minutes of the history. */
export type HistoryInput = z.input<typeof historyInput>
/** Which minutes of the recorded depths. */
export type DepthsInput = z.input<typeof depthsInput>
/** Which lines of a job's log. */
export type LogsInput = z.input<typeof logsInput>
/** Which failure groups. */
export type FailureGroupsInput = z.input<typeof failureGroupsInput>
/** Which entries of the audit trail, newest first. */
export type AuditTrailInput = z.input<typeof auditTrailInput>

/** What anybody may ask. */
import { z } from 'zod'
import { isStorable } from '../json/text.ts'
import { limits } from '../limits.ts'
import type { Status } from '../status.ts'
import { instant, jobId, rows, statusList, storable, typeName, waitMs, workerName } from './fields.ts'

const jsonScalar = z.union([
  z.string().max(limits.keyLength).refine(isStorable, 'contains a NUL or a lone surrogate'),
  z.number(),
  z.boolean(),
  z.null(),
])

/** Which jobs: shared by list, export and bulk. */
export const jobFilter = z.strictObject({
  ids: z.array(jobId).min(1).max(limits.filterIds).optional(),
  idEnd: z
    .string()
    .regex(/^[\da-f-]{4,36}$/, 'must be the last 4 to 36 characters of an id, in lower case')
    .optional(),
  status: statusList.optional(),
  pending: z.enum(['retried', 'fresh']).optional(),
  type: typeName.optional(),
  worker: workerName.optional(),
  priority: z.int().min(-limits.priority).max(limits.priority).optional(),
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
  search: storable(limits.searchLength).optional(),
  error: storable(limits.searchLength).optional(),
  errorKey: z
    .string()
    .max(limits.errorKeyLength)
    .refine(isStorable, 'contains a NUL or a lone surrogate; remove it')
    .optional(),
  from: instant.optional(),
  to: instant.optional(),
})

export const listInput = jobFilter
  .extend({
    sort: z.enum(['newest', 'oldest', 'claim']).default('newest'),
    limit: z.int().min(1).max(limits.list).default(50),
    cursor: z.string().max(200).optional(),
    page: z.int().min(1).max(limits.offset).optional(),
    offset: z.int().min(0).max(limits.offset).optional(),
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
  ids: z.array(jobId).min(1).max(limits.results),
  waitMs,
})

/** Of procedures that need none: what somebody sends by mistake is not passed over in silence. */
export const noInput = z.strictObject({}).optional()
/** One job, or one bulk operation. */
export const idInput = z.strictObject({
  id: jobId,
})
export const typeInput = z.strictObject({
  name: typeName,
})
export const statsInput = z.strictObject({
  type: typeName.optional(),
  /** Whether to add up the attempts of all time too, removed jobs included; default false. */
  allTime: z.boolean().default(false),
})
/** The last so many minutes, at most a day of them; `together`: one row a minute for all types, with empty histograms. */
export const historyInput = z.strictObject({
  minutes: rows(60, 1_440),
  type: typeName.optional(),
  together: z.boolean().default(false),
})
/** The last so many minutes that are over. */
export const depthsInput = z.strictObject({
  minutes: rows(60, 1_440),
  type: typeName.optional(),
})
/** `after` is the id of the last line you have. */
export const logsInput = z.strictObject({
  id: jobId,
  after: z.int().min(0).default(0),
  limit: rows(200, 1_000),
})
export const failureGroupsInput = z.strictObject({
  type: typeName.optional(),
  limit: rows(100, 500),
})
/** Newest first; `before` is the id of the last entry you have. */
export const auditTrailInput = z.strictObject({
  target: storable(limits.keyLength).optional(),
  before: z.int().min(1).optional(),
  limit: rows(100, 500),
})
/** Where an event stream goes on; tRPC clients send it by themselves when they reconnect. */
export const eventsInput = z
  .strictObject({
    lastEventId: z.string().max(100).nullish(),
  })
  .optional()

/** Which jobs: shared by list, export and bulk operations. */
export interface JobFilter {
  /** Only jobs with these ids; unknown ids are ignored. */
  ids?: string[] | undefined
  /** Only jobs whose id ends with these characters. */
  idEnd?: string | undefined
  /** Only jobs with these statuses. */
  status?: Status[] | undefined
  /** Of the pending jobs only those that were tried before (`retried`), or only those that were not (`fresh`); default: both. */
  pending?: 'retried' | 'fresh' | undefined
  /** Only jobs of this type. */
  type?: string | undefined
  /** Only jobs that this worker holds or has completed. */
  worker?: string | undefined
  /** Only jobs with this priority. */
  priority?: number | undefined
  /**
   * Only jobs with this value in their payload: `{ path: 'user.id', equals: 42 }`; positions in arrays are numbers,
   * `items.0.sku`.
   */
  payload?: { path: string; equals: string | number | boolean | null } | undefined
  /** Only jobs whose id, type, dedupe key, error or payload contains this text; ASCII letters match in either case. */
  search?: string | undefined
  /** Only jobs whose error contains this text. */
  error?: string | undefined
  /** Only jobs whose last error belongs to this failure group; a message without text has the key ''. */
  errorKey?: string | undefined
  /** Only jobs created at this instant or later, in milliseconds UTC. */
  from?: number | undefined
  /** Only jobs created before this instant, in milliseconds UTC. */
  to?: number | undefined
}

/** Which jobs to list, in which order, and which page of them. */
export interface ListInput extends JobFilter {
  /** `newest` or `oldest` first, or `claim`: in the order in which they would be claimed; default `newest`. */
  sort?: 'claim' | 'newest' | 'oldest' | undefined
  /** How many jobs a page has; default 50. */
  limit?: number | undefined
  /** The `nextCursor` of the last page; not together with `page` or `offset`. */
  cursor?: string | undefined
  /** The number of the page, from 1; not together with `cursor` or `offset`. */
  page?: number | undefined
  /** How many jobs to skip; not together with `cursor` or `page`. */
  offset?: number | undefined
  /** Whether to return payloads as well, which can be large; default false. */
  payloads?: boolean | undefined
}

/** ListInput with its defaults filled in. */
export type ListParams = z.output<typeof listInput>
/** Whose outcomes to read, and how long to wait for the first. */
export interface ResultInput {
  /** The ids of the jobs. */
  ids: string[]
  /** How long to wait until one of them has ended, in milliseconds; default 0. */
  waitMs?: number | undefined
}

/** One job, or one bulk operation, by its id. */
export interface IdInput {
  /** The id of the job or bulk operation. */
  id: string
}

/** One type, by its name. */
export interface TypeInput {
  /** The name of the type. */
  name: string
}

/** Which type the numbers are about. */
export interface StatsInput {
  /** Only this type; default: all types. */
  type?: string | undefined
  /** Whether to add up the attempts of all time too, removed jobs included; default false. */
  allTime?: boolean | undefined
}

/** Which minutes of the history. */
export interface HistoryInput {
  /** How many minutes, counted back from now; default 60. */
  minutes?: number | undefined
  /** Only this type; default: all types. */
  type?: string | undefined
  /** One row a minute for all types together, with empty histograms; default false. */
  together?: boolean | undefined
}

/** Which minutes of the recorded depths. */
export interface DepthsInput {
  /** How many minutes, counted back from now; default 60. */
  minutes?: number | undefined
  /** Only this type; default: all types. */
  type?: string | undefined
}

/** Which lines of a job's log. */
export interface LogsInput {
  /** The id of the job. */
  id: string
  /** The id of the last line you have; default 0. */
  after?: number | undefined
  /** How many lines; default 200. */
  limit?: number | undefined
}

/** Which failure groups. */
export interface FailureGroupsInput {
  /** Only this type; default: all types. */
  type?: string | undefined
  /** How many groups; default 100. */
  limit?: number | undefined
}

/** Which entries of the audit trail, newest first. */
export interface AuditTrailInput {
  /** Only entries about this job or type. */
  target?: string | undefined
  /** The id of the last entry you have. */
  before?: number | undefined
  /** How many entries; default 100. */
  limit?: number | undefined
}

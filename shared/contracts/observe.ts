/** Inputs of read-only procedures. */
import { z } from 'zod'
import { isStorable } from '../json/text.ts'
import { limits } from '../limits.ts'
import type { Status } from '../status.ts'
import {
  groupKey,
  groupName,
  instant,
  jobId,
  rows,
  statusList,
  storable,
  typeName,
  waitMs,
  workerName,
} from './fields.ts'

const jsonScalar = z.union([
  z.string().max(limits.keyLength).refine(isStorable, 'contains a NUL or a lone surrogate'),
  z.number(),
  z.boolean(),
  z.null(),
])

/** Job filter of list, export and bulk operations. */
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
  group: groupName.optional(),
  groupKey: groupKey.optional(),
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
      message: `has more than ${limits.pathPositions} numeric parts; use a shorter path`,
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
    message: 'use only one of cursor, page and offset',
    path: ['cursor'],
  })
  .refine((input) => ((input.page ?? 1) - 1) * input.limit <= limits.offset, {
    message: `is beyond the first ${limits.offset} jobs; follow nextCursor instead`,
    path: ['page'],
  })

export const resultInput = z.strictObject({
  ids: z.array(jobId).min(1).max(limits.results),
  waitMs,
})

/** Input of procedures without parameters: rejects fields that were sent by mistake. */
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
  /** Whether to include totals of all time, including deleted jobs; default false. */
  allTime: z.boolean().default(false),
})
/** The last minutes, at most a day; `together`: one row per minute for all types, with empty histograms. */
export const historyInput = z.strictObject({
  minutes: rows(60, 1_440),
  type: typeName.optional(),
  together: z.boolean().default(false),
})
/** The last complete minutes. */
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
/** Resume position of an event stream; tRPC clients send it automatically when they reconnect. */
export const eventsInput = z
  .strictObject({
    lastEventId: z.string().max(100).nullish(),
  })
  .optional()

/** Job filter of list, export and bulk operations. */
export interface JobFilter {
  /** Only jobs with these ids; unknown ids are ignored. */
  ids?: string[] | undefined
  /** Only jobs whose id ends with these characters. */
  idEnd?: string | undefined
  /** Only jobs with these statuses. */
  status?: Status[] | undefined
  /** Only pending jobs with earlier attempts (`retried`) or without (`fresh`); default: both. */
  pending?: 'retried' | 'fresh' | undefined
  /** Only jobs of this type. */
  type?: string | undefined
  /** Only jobs that this worker runs or has completed. */
  worker?: string | undefined
  /** Only jobs with this priority. */
  priority?: number | undefined
  /** Only jobs of this group. */
  group?: string | undefined
  /** Only jobs with this key, in any group unless `group` is given. */
  groupKey?: string | undefined
  /**
   * Only jobs with this value in their payload: `{ path: 'user.id', equals: 42 }`; array indexes are numbers,
   * `items.0.sku`.
   */
  payload?: { path: string; equals: string | number | boolean | null } | undefined
  /** Only jobs whose id, type, dedupe key, error or payload contains this text; ASCII letters match in either case. */
  search?: string | undefined
  /** Only jobs whose error contains this text. */
  error?: string | undefined
  /** Only jobs whose last error belongs to this failure group; an empty message has the key ''. */
  errorKey?: string | undefined
  /** Only jobs created at or after this time, in milliseconds UTC. */
  from?: number | undefined
  /** Only jobs created before this time, in milliseconds UTC. */
  to?: number | undefined
}

/** Filter, order and page of a job list. */
export interface ListInput extends JobFilter {
  /** `newest` or `oldest` first, or `claim`: in the order in which they would be claimed; default `newest`. */
  sort?: 'claim' | 'newest' | 'oldest' | undefined
  /** Jobs per page; default 50. */
  limit?: number | undefined
  /** The `nextCursor` of the previous page; not together with `page` or `offset`. */
  cursor?: string | undefined
  /** The number of the page, from 1; not together with `cursor` or `offset`. */
  page?: number | undefined
  /** Number of jobs to skip; not together with `cursor` or `page`. */
  offset?: number | undefined
  /** Whether to return payloads as well, which can be large; default false. */
  payloads?: boolean | undefined
}

/** ListInput with its defaults filled in. */
export type ListParams = z.output<typeof listInput>
/** Jobs whose outcomes to read, and how long to wait for the first. */
export interface ResultInput {
  /** The ids of the jobs. */
  ids: string[]
  /** How long to wait until one of them is finished, in milliseconds; default 0. */
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

/** Type and scope of the statistics. */
export interface StatsInput {
  /** Only this type; default: all types. */
  type?: string | undefined
  /** Whether to include totals of all time, including deleted jobs; default false. */
  allTime?: boolean | undefined
}

/** Range of the history. */
export interface HistoryInput {
  /** Number of minutes before now; default 60. */
  minutes?: number | undefined
  /** Only this type; default: all types. */
  type?: string | undefined
  /** One row per minute for all types together, with empty histograms; default false. */
  together?: boolean | undefined
}

/** Range of the recorded queue depths. */
export interface DepthsInput {
  /** Number of minutes before now; default 60. */
  minutes?: number | undefined
  /** Only this type; default: all types. */
  type?: string | undefined
}

/** Range of log lines of a job. */
export interface LogsInput {
  /** The id of the job. */
  id: string
  /** The id of the last line you have; default 0. */
  after?: number | undefined
  /** Maximum number of lines; default 200. */
  limit?: number | undefined
}

/** Filter of failure groups. */
export interface FailureGroupsInput {
  /** Only this type; default: all types. */
  type?: string | undefined
  /** Maximum number of groups; default 100. */
  limit?: number | undefined
}

/** Filter of the audit trail, newest entries first. */
export interface AuditTrailInput {
  /** Only entries about this job or type. */
  target?: string | undefined
  /** The id of the last entry you have. */
  before?: number | undefined
  /** Maximum number of entries; default 100. */
  limit?: number | undefined
}

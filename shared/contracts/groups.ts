/** Rules of groups, and inputs of the group verbs. */
import { z } from 'zod'
import { GROUP_ORDERS, KEY_RULES, KEY_SORTS, ON_DEAD, RULE_KEYS, WHEN_FULL } from '../groups/choices.ts'
import { SCHEDULES_GROUP } from '../groups/rules.ts'
import { suggestKeys } from '../json/unknown-keys.ts'
import { DAY, limits } from '../limits.ts'
import { durationBetween, integerBetween } from './bounds.ts'
import { clientGroupName, groupKey, groupName, storable } from './fields.ts'

/** Order of the jobs of a key: `fair` is round robin between keys, `strict` runs them one by one in the order of their enqueue. */
export type GroupOrder = (typeof GROUP_ORDERS)[number]

/** What an enqueue does while its key is full. */
export type WhenFull = (typeof WHEN_FULL)[number]

/** What a strict key does after a job has failed for good. */
export type OnDead = (typeof ON_DEAD)[number]

/** Jobs per time. */
export interface GroupRate {
  /** How many jobs of a key may start. */
  limit: number
  /** In how many milliseconds. */
  perMs: number
  /** How many of them may start at once after a pause; default 1, so that they are spread evenly. */
  burst?: number | undefined
}

/** Rules that hold for every key of a group; null removes a limit that a lower layer sets. */
export interface GroupRules {
  /** At most this many jobs of a key are pending or running at the same time; default: no limit. */
  concurrency?: number | null | undefined
  /** At most this many jobs of a key start per time; default: no limit. */
  rate?: GroupRate | null | undefined
  /** At most this many jobs of a key are ready for workers at a time: fewer are fairer to other keys; default: the concurrency, at most 4. */
  window?: number | undefined
  /** `fair`: round robin between keys. `strict`: the jobs of a key run one by one in the order of their enqueue, retries included; default `fair`. */
  order?: GroupOrder | undefined
  /**
   * When the key is full, a new job may `wait`, be `skip`ped for the newest unfinished one, `replace` those that wait, or wait and
   * `cancel` the running ones; default `wait`.
   */
  whenFull?: WhenFull | undefined
  /** With `strict`: whether the next job of a key runs after one has failed for good; default `continue`. */
  onDead?: OnDead | undefined
  /** true: no further job of the group becomes ready until it is resumed; default false. */
  paused?: boolean | undefined
}

/** The group of a type: its rules, and where its jobs take their key from. */
export interface GroupSettings extends GroupRules {
  /** Name of the group; types with the same name share their keys and rules; default: the name of the type. */
  name?: string | undefined
  /** JSON pointer to the key in the payload (`/tenantId`), for jobs that are enqueued without `group`; default: none. */
  key?: string | undefined
}

const MAX_RATE = 1_000_000
const MAX_PERIOD_MS = 31 * DAY
/** An index scan over the pending jobs of one key stays short. */
const MAX_WINDOW = 1_000
const MAX_POINTER = 200

const knownRules = {
  error: (issue: { readonly code: string; readonly keys?: unknown }) => suggestKeys(issue, RULE_KEYS),
}

const rate = z.strictObject({
  limit: integerBetween(1, MAX_RATE),
  perMs: durationBetween(1, MAX_PERIOD_MS),
  burst: integerBetween(1, MAX_RATE).optional(),
})

export const groupRulesSchema = z.strictObject(
  {
    concurrency: integerBetween(1, limits.concurrency).nullable().optional(),
    rate: rate.nullable().optional(),
    window: integerBetween(1, MAX_WINDOW).optional(),
    order: z.enum(GROUP_ORDERS).optional(),
    whenFull: z.enum(WHEN_FULL).optional(),
    onDead: z.enum(ON_DEAD).optional(),
    paused: z.boolean().optional(),
  },
  knownRules,
)

/** More jobs of a key than may run are never ready. */
const WIDE_WINDOW = { message: 'must not be above concurrency, which pending jobs count towards', path: ['window'] }

function fitsWindow({ window = 1, concurrency, order }: GroupRules): boolean {
  return window <= (order === 'strict' ? 1 : (concurrency ?? MAX_WINDOW))
}

export const groupSettingsSchema = groupRulesSchema
  .extend({
    name: clientGroupName.optional(),
    key: z
      .string()
      .min(2)
      .max(MAX_POINTER)
      .regex(/^(?:\/(?:[^~/]|~[01])+)+$/, 'must be a JSON pointer into the payload, such as /tenantId')
      .optional(),
  })
  .refine(({ order, concurrency }) => order !== 'strict' || (concurrency ?? 1) === 1, {
    message: 'must be 1 or left out with order strict, which runs the jobs of a key one by one',
    path: ['concurrency'],
  })
  .refine(({ order, onDead }) => onDead === undefined || order === 'strict', {
    message: 'needs order strict: in a fair group the other jobs of a key always continue',
    path: ['onDead'],
  })
  .refine(fitsWindow, WIDE_WINDOW)

export const groupsInput = z.strictObject({
  search: storable(limits.searchLength).optional(),
  limit: z.int().min(1).max(limits.list).default(50),
  cursor: storable(1_000).optional(),
})

export const groupKeysInput = z.strictObject({
  name: groupName,
  search: storable(limits.searchLength).optional(),
  sort: z.enum(KEY_SORTS).default('blocked'),
  limit: z.int().min(1).max(limits.list).default(50),
  cursor: storable(1_000).optional(),
})

export const groupKeyInput = z.strictObject({ name: groupName, key: groupKey })

/** `set` overrides rules (null: no limit); `clear` removes overrides. With `key` both concern that key alone. */
export const groupUpdateInput = z
  .strictObject({
    name: groupName,
    key: groupKey.optional(),
    set: groupRulesSchema.refine(fitsWindow, WIDE_WINDOW).default({}),
    clear: z.array(groupRulesSchema.keyof()).default([]),
    resume: z.boolean().default(false),
  })
  .superRefine(({ name, key, set, clear, resume }, issues) => {
    for (const rule of name === SCHEDULES_GROUP ? Object.keys(set) : []) {
      if (rule !== 'paused' && rule !== 'rate')
        issues.addIssue({ code: 'custom', path: ['set', rule], message: OF_SCHEDULES })
    }
    if (key === undefined) {
      if (resume) issues.addIssue({ code: 'custom', path: ['resume'], message: 'needs key: only a key can be stopped' })
      return
    }
    const own = (rule: string) => KEY_RULES.some((one) => one === rule)
    for (const rule of Object.keys(set)) {
      if (!own(rule)) issues.addIssue({ code: 'custom', path: ['set', rule], message: OF_GROUP })
    }
    clear.forEach((rule, index) => {
      if (!own(rule)) issues.addIssue({ code: 'custom', path: ['clear', index], message: OF_GROUP })
    })
  })

const OF_SCHEDULES =
  'is fixed for the group of scheduled jobs, because their overlap policy depends on it; change overlap of the schedule'
const OF_GROUP = `holds for the whole group; one key may override only ${KEY_RULES.join(', ')}`

/** Which groups to list. */
export interface GroupsInput {
  /** Only groups with this text in their name; default: all. */
  search?: string | undefined
  /** Groups per page; default 50. */
  limit?: number | undefined
  /** The `nextCursor` of the previous page. */
  cursor?: string | undefined
}

/** Which keys of a group to list. */
export interface GroupKeysInput {
  /** The name of the group. */
  name: string
  /** Only keys with this text; default: all. */
  search?: string | undefined
  /** Most blocked jobs, longest wait or most running jobs first; default `blocked`. */
  sort?: 'blocked' | 'oldest' | 'running' | undefined
  /** Keys per page; default 50. */
  limit?: number | undefined
  /** The `nextCursor` of the previous page. */
  cursor?: string | undefined
}

/** One key of a group. */
export interface GroupKeyInput {
  /** The name of the group. */
  name: string
  /** The key. */
  key: string
}

/** Overrides of the rules of a group, or of one key. */
export interface GroupUpdateInput {
  /** The name of the group. */
  name: string
  /** The key whose `concurrency`, `rate` or `paused` to override; default: the whole group. */
  key?: string | undefined
  /** Rules to override; null means 'no limit'; default: none. */
  set?: GroupRules | undefined
  /** Overrides to remove, so that the declared rule applies again; default: none. */
  clear?: (keyof GroupRules)[] | undefined
  /** true: the key continues after the failed job that stopped it (`onDead: 'stop'`); default false. */
  resume?: boolean | undefined
}

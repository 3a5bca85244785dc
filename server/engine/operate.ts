/** What operators say: acts on jobs, settings, workers, bulk operations. Every change names its actor. */
import { z } from 'zod'
import {
  type BulkInput,
  bulkInput,
  type CleanupInput,
  cleanupInput,
  jobId,
  typeName,
  workerName,
} from '../../shared/contracts.ts'
import { QueueError } from '../../shared/errors.ts'
import type { ActResult } from '../../shared/job.ts'
import { KINDS, type Kind } from '../../shared/status.ts'
import { isStorable } from '../../shared/text.ts'
import {
  type QueueSettings,
  queueSettingsSchema,
  type TypeSettings,
  typeSettingsSchema,
} from '../../shared/type-settings.ts'
import type { OpOf } from '../store/ops.ts'
import type { BulkRow, Store } from '../store/store.ts'
import type { BulkRunner } from './bulk-runner.ts'
import type { EventLog, QueueEvent } from './events.ts'
import type { GroupCommit } from './group-commit.ts'
import { newId } from './ids.ts'
import { parseInput } from './input.ts'

/** Who is acting, for the audit trail. */
export interface Actor {
  readonly actor?: string | undefined
}

interface ById extends Actor {
  readonly id: string
}

/** `set` overrides (null there means "no limit"); `clear` takes overrides away, so that the layer below holds again. */
export interface Patch<Settings> {
  readonly set?: Settings
  readonly clear?: readonly (keyof Settings)[]
}

export interface Operating {
  retry(input: ById): Promise<ActResult>
  runNow(input: ById): Promise<ActResult>
  cancel(input: ById): Promise<ActResult>
  remove(input: ById): Promise<ActResult>
  cleanup(input?: CleanupInput & Actor): Promise<{ readonly removed: number }>
  declareTypes(types: readonly { name: string; kind?: Kind; settings?: TypeSettings }[]): Promise<void>
  updateType(input: { readonly name: string } & Patch<TypeSettings> & Actor): Promise<void>
  pauseType(input: { readonly name: string } & Actor): Promise<void>
  resumeType(input: { readonly name: string } & Actor): Promise<void>
  updateSettings(input: Patch<QueueSettings> & Actor): Promise<void>
  pause(input?: Actor): Promise<void>
  resume(input?: Actor): Promise<void>
  drainWorker(input: { readonly worker: string; readonly drain?: boolean } & Actor): Promise<void>
  startBulk(input: BulkInput & Actor): Promise<BulkRow>
  cancelBulk(input: ById): Promise<BulkRow>
  undoBulk(input: ById): Promise<BulkRow>
  audit(
    input: { readonly action: string; readonly target?: string; readonly details?: Record<string, unknown> } & Actor,
  ): Promise<void>
}

export interface OperatingParts {
  readonly store: Store
  readonly commits: GroupCommit
  readonly events: EventLog
  readonly bulks: BulkRunner
}

const CLEANUP_CHUNK = 250
const SOMEBODY = 'local'
const actorName = z.string().min(1).max(255).refine(isStorable).default(SOMEBODY)
const auditInput = z.object({
  action: z.string().min(1).max(100),
  target: z.string().max(255).nullish(),
  details: z.record(z.string(), z.unknown()).optional(),
})
const typeKeys = z.array(typeSettingsSchema.keyof())
const settingKeys = z.array(queueSettingsSchema.keyof())
const declaration = z.strictObject({
  name: typeName,
  kind: z.enum(KINDS).default('job'),
  settings: typeSettingsSchema.default({}),
})

export function createOperating({ store, commits, events, bulks }: OperatingParts): Operating {
  const who = (input: Actor) => parseInput(actorName, input.actor, 'actor')
  const tell = async (kind: Exclude<QueueEvent['kind'], 'jobs' | 'bulk'>) =>
    events.tell({ kind, at: await store.now() })

  const act = (verb: OpOf<'act'>['verb']) => async (input: ById) =>
    commits.submit<'act'>({ kind: 'act', verb, id: parseInput(jobId, input.id, 'id'), actor: who(input) })

  async function updateType(name: string, { set = {}, clear = [] }: Patch<TypeSettings>, actor: string): Promise<void> {
    const patch = {
      set: parseInput(typeSettingsSchema, given(set), 'set'),
      clear: parseInput(typeKeys, clear, 'clear'),
    }
    await commits.submit<'overrideType'>({
      kind: 'overrideType',
      name: parseInput(typeName, name, 'name'),
      ...patch,
      actor,
    })
    await tell('types')
  }

  async function updateSettings({ set = {}, clear = [] }: Patch<QueueSettings>, actor: string): Promise<void> {
    const patch = {
      set: parseInput(queueSettingsSchema, given(set), 'set'),
      clear: parseInput(settingKeys, clear, 'clear'),
    }
    await commits.submit<'putSettings'>({ kind: 'putSettings', ...patch, actor })
    await tell('settings')
  }

  async function findBulk(id: string): Promise<BulkRow> {
    const row = await store.bulk(id)
    if (!row) throw new QueueError('NOT_FOUND', `There is no bulk operation ${id}.`, { id })
    events.tell({ kind: 'bulk', at: await store.now(), id })
    bulks.look()
    return row
  }

  return {
    retry: act('retry'),
    runNow: act('runNow'),
    cancel: act('cancel'),
    remove: act('remove'),
    async cleanup({ actor: name, ...input } = {}) {
      const actor = who({ actor: name })
      const { olderThanMs, status, type } = parseInput(cleanupInput, input)
      const op = { status: status ?? ['completed' as const], olderThanMs: olderThanMs ?? null, type: type ?? null }
      let removed = 0
      for (let more = true; more; ) {
        const chunk = await commits.submit<'cleanup'>({ kind: 'cleanup', ...op, limit: CLEANUP_CHUNK })
        removed += chunk.removed
        more = chunk.more
      }
      await commits.submit<'audit'>({
        kind: 'audit',
        actor,
        action: 'cleanup',
        target: null,
        details: { ...op, removed },
      })
      return { removed }
    },
    async declareTypes(types) {
      const declared = types.map((type, index) => {
        const { name, kind, settings } = parseInput(declaration, type, `types.${index}`)
        return { name, kind, declared: settings }
      })
      await commits.submit<'declareTypes'>({ kind: 'declareTypes', types: declared })
      await tell('types')
    },
    updateType: async (input) => updateType(input.name, input, who(input)),
    pauseType: async (input) => updateType(input.name, { set: { paused: true } }, who(input)),
    resumeType: async (input) => updateType(input.name, { set: { paused: false } }, who(input)),
    updateSettings: async (input) => updateSettings(input, who(input)),
    pause: async (input = {}) => updateSettings({ set: { paused: true } }, who(input)),
    resume: async (input = {}) => updateSettings({ set: { paused: false } }, who(input)),
    async drainWorker(input) {
      const worker = parseInput(workerName, input.worker, 'worker')
      await commits.submit<'drainWorker'>({
        kind: 'drainWorker',
        worker,
        drain: input.drain ?? true,
        actor: who(input),
      })
      await tell('workers')
    },
    async startBulk({ actor, ...input }) {
      const bulk = parseInput(bulkInput, input)
      const id = newId()
      await commits.submit<'bulkStart'>({ kind: 'bulkStart', id, ...bulk, actor: who({ actor }) })
      return findBulk(id)
    },
    async cancelBulk(input) {
      await commits.submit<'bulkCancel'>({
        kind: 'bulkCancel',
        id: parseInput(jobId, input.id, 'id'),
        actor: who(input),
      })
      return findBulk(input.id)
    },
    async undoBulk(input) {
      await commits.submit<'bulkUndo'>({ kind: 'bulkUndo', id: parseInput(jobId, input.id, 'id'), actor: who(input) })
      return findBulk(input.id)
    },
    async audit(input) {
      const { action, target = null, details = {} } = parseInput(auditInput, { ...input, actor: undefined })
      await commits.submit<'audit'>({ kind: 'audit', actor: who(input), action, target, details })
    },
  }
}

/** undefined means "not given", as it does everywhere else in TypeScript. */
function given(settings: object): unknown {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined))
}

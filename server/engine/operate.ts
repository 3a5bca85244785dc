/** What operators say: acts on jobs, settings, workers, bulk operations. Every change names its actor. */
import { z } from 'zod'
import { type IdInput, idInput, type TypeInput, typeInput } from '../../shared/contracts/observe.ts'
import {
  type AuditInput,
  auditInput,
  type BulkInput,
  bulkInput,
  type CleanupInput,
  cleanupInput,
  type DeclareTypesInput,
  type DrainInput,
  declareTypesInput,
  drainInput,
  type SettingsUpdateInput,
  settingsUpdateInput,
  type TypeUpdateInput,
  typeUpdateInput,
} from '../../shared/contracts/operate.ts'
import { QueueError } from '../../shared/errors.ts'
import type { ActResult } from '../../shared/job.ts'
import { isStorable } from '../../shared/text.ts'
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

export interface Operating {
  retry(input: IdInput & Actor): Promise<ActResult>
  runNow(input: IdInput & Actor): Promise<ActResult>
  cancel(input: IdInput & Actor): Promise<ActResult>
  remove(input: IdInput & Actor): Promise<ActResult>
  cleanup(input?: CleanupInput & Actor): Promise<{ readonly removed: number }>
  declareTypes(input: DeclareTypesInput & Actor): Promise<void>
  updateType(input: TypeUpdateInput & Actor): Promise<void>
  pauseType(input: TypeInput & Actor): Promise<void>
  resumeType(input: TypeInput & Actor): Promise<void>
  updateSettings(input: SettingsUpdateInput & Actor): Promise<void>
  pause(input?: Actor): Promise<void>
  resume(input?: Actor): Promise<void>
  drainWorker(input: DrainInput & Actor): Promise<void>
  startBulk(input: BulkInput & Actor): Promise<BulkRow>
  cancelBulk(input: IdInput & Actor): Promise<BulkRow>
  undoBulk(input: IdInput & Actor): Promise<BulkRow>
  audit(input: AuditInput & Actor): Promise<void>
}

export interface OperatingParts {
  readonly store: Store
  readonly commits: GroupCommit
  readonly events: EventLog
  readonly bulks: BulkRunner
}

const CLEANUP_CHUNK = 250
const SOMEBODY = 'local'
export const actorName = z.string().min(1).max(255).refine(isStorable).default(SOMEBODY)

export function createOperating({ store, commits, events, bulks }: OperatingParts): Operating {
  /** Splits who acts from what is asked, and checks both. */
  function read<Output extends object>(schema: z.ZodType<Output>, { actor, ...input }: Actor) {
    return { ...parseInput(schema, input), actor: parseInput(actorName, actor, 'actor') }
  }

  const tell = async (kind: Exclude<QueueEvent['kind'], 'jobs' | 'bulk'>) =>
    events.tell({ kind, at: await store.now() })

  const act = (verb: OpOf<'act'>['verb']) => async (input: IdInput & Actor) =>
    commits.submit<'act'>({ kind: 'act', verb, ...read(idInput, input) })

  async function updateType(input: TypeUpdateInput & Actor): Promise<void> {
    await commits.submit<'overrideType'>({ kind: 'overrideType', ...read(typeUpdateInput, input) })
    await tell('types')
  }

  async function updateSettings(input: SettingsUpdateInput & Actor): Promise<void> {
    await commits.submit<'putSettings'>({ kind: 'putSettings', ...read(settingsUpdateInput, input) })
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
    async cleanup(input = {}) {
      const { actor, olderThanMs, status, type } = read(cleanupInput, input)
      const op = { status: status ?? ['completed' as const], olderThanMs: olderThanMs ?? null, type: type ?? null }
      let removed = 0
      for (let more = true; more; ) {
        const chunk = await commits.submit<'cleanup'>({ kind: 'cleanup', ...op, limit: CLEANUP_CHUNK })
        removed += chunk.removed
        more = chunk.more
      }
      const details = { ...op, removed }
      await commits.submit<'audit'>({ kind: 'audit', actor, action: 'cleanup', target: null, details })
      return { removed }
    },
    async declareTypes(input) {
      const { types, actor } = read(declareTypesInput, input)
      await commits.submit<'declareTypes'>({
        kind: 'declareTypes',
        types: types.map(({ name, kind, settings }) => ({ name, kind, declared: settings })),
        actor,
      })
      await tell('types')
    },
    updateType,
    pauseType: async (input) => updateType({ ...read(typeInput, input), set: { paused: true } }),
    resumeType: async (input) => updateType({ ...read(typeInput, input), set: { paused: false } }),
    updateSettings,
    pause: async (input = {}) => updateSettings({ ...input, set: { paused: true } }),
    resume: async (input = {}) => updateSettings({ ...input, set: { paused: false } }),
    async drainWorker(input) {
      await commits.submit<'drainWorker'>({ kind: 'drainWorker', ...read(drainInput, input) })
      await tell('workers')
    },
    async startBulk(input) {
      const id = newId()
      await commits.submit<'bulkStart'>({ kind: 'bulkStart', id, ...read(bulkInput, input) })
      return findBulk(id)
    },
    async cancelBulk(input) {
      const { id, actor } = read(idInput, input)
      await commits.submit<'bulkCancel'>({ kind: 'bulkCancel', id, actor })
      return findBulk(id)
    },
    async undoBulk(input) {
      const { id, actor } = read(idInput, input)
      await commits.submit<'bulkUndo'>({ kind: 'bulkUndo', id, actor })
      return findBulk(id)
    },
    async audit(input) {
      const { target = null, ...entry } = read(auditInput, input)
      await commits.submit<'audit'>({ kind: 'audit', ...entry, target })
    },
  }
}

/** What operators say: acts on jobs, settings, workers, bulk operations. Every change names its actor. */
import { z } from 'zod'
import { type IdInput, idInput, type TypeInput, typeInput } from '../../../shared/contracts/observe.ts'
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
} from '../../../shared/contracts/operate.ts'
import { QueueError } from '../../../shared/errors.ts'
import type { ActResult } from '../../../shared/job.ts'
import { isStorable } from '../../../shared/json/text.ts'
import type { OpOf } from '../../store/ops.ts'
import type { BulkRow } from '../../store/records.ts'
import type { Store } from '../../store/store.ts'
import type { GroupCommit } from '../commit/group-commit.ts'
import type { EventLog, QueueEvent } from '../events.ts'
import { newId } from '../ids.ts'
import type { BulkRunner } from '../services/bulk-runner.ts'
import { parseInput } from './input.ts'
import type { CallContext } from './work.ts'

/** Who is acting, for the audit trail. */
export interface Actor {
  /** The name in the audit trail; default `local`. */
  readonly actor?: string | undefined
}

export interface Operating {
  /** Runs a failed, cancelled or retrying job again at once, from its first attempt. */
  retry(input: IdInput & Actor): Promise<ActResult>
  /** Makes a scheduled or retrying job due at once. */
  runNow(input: IdInput & Actor): Promise<ActResult>
  /** Cancels a waiting job; the handler of a running one gets an aborted signal. */
  cancel(input: IdInput & Actor): Promise<ActResult>
  /** Deletes a job that is not running. */
  remove(input: IdInput & Actor): Promise<ActResult>
  /** Deletes finished jobs; returns how many. */
  cleanup(input?: CleanupInput & Actor): Promise<{ readonly removed: number }>
  /** Stores the settings that code declares for its types; overrides of operators stay in force. */
  declareTypes(input: DeclareTypesInput & Actor, context?: CallContext): Promise<void>
  /** Overrides settings of a type, or takes overrides away. */
  updateType(input: TypeUpdateInput & Actor): Promise<void>
  /** Stops claims of a type; running jobs go on. */
  pauseType(input: TypeInput & Actor): Promise<void>
  /** Allows claims of a type again. */
  resumeType(input: TypeInput & Actor): Promise<void>
  /** Changes queue-wide settings. */
  updateSettings(input: SettingsUpdateInput & Actor): Promise<void>
  /** Stops all claims; running jobs go on. */
  pause(input?: Actor): Promise<void>
  /** Allows claims again. */
  resume(input?: Actor): Promise<void>
  /** Lets a worker finish its jobs and stop. */
  drainWorker(input: DrainInput & Actor): Promise<void>
  /** Starts an operation on all jobs that match a filter. */
  startBulk(input: BulkInput & Actor): Promise<BulkRow>
  /** Stops a bulk operation; what it has done stays. */
  cancelBulk(input: IdInput & Actor): Promise<BulkRow>
  /** Takes back what a bulk operation has done, while `undoMs` lasts. */
  undoBulk(input: IdInput & Actor): Promise<BulkRow>
  /** Adds an entry to the audit trail. */
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

/** Verbs of operators: actions on jobs, settings, workers and bulk operations, each with an audit entry. */
import { type AuditInput, auditInput } from '../../../shared/contracts/operate.ts'
import { QueueError } from '../../../shared/errors.ts'
import type { Actor } from '../../../shared/queue.ts'
import type { BulkRow } from '../../../shared/records.ts'
import { parseInput } from '../../../shared/verbs/parse-input.ts'
import { type Params, type ParsedVerbs, parseActor } from '../../../shared/verbs/verb-inputs.ts'
import { newId } from '../../base/ids.ts'
import type { OpOf } from '../../store/ops.ts'
import type { Store } from '../../store/store.ts'
import type { GroupCommit } from '../commit/group-commit.ts'
import type { EventLog, QueueEvent } from '../events.ts'
import type { BulkRunner } from '../services/bulk-runner.ts'
import type { GroupAdmitter } from '../services/group-admitter.ts'

export interface AuditVerb {
  /** Adds an entry to the audit trail. */
  audit(input: AuditInput & Actor): Promise<void>
}

export interface OperatorVerbsParts {
  readonly store: Store
  readonly commits: GroupCommit
  readonly events: EventLog
  readonly bulks: BulkRunner
  readonly admitter: GroupAdmitter
}

/** Rows that one commit of a cleanup deletes. */
const CLEANUP_CHUNK = 250

type OperatorVerbs = Pick<
  ParsedVerbs,
  | 'cancel'
  | 'cancelBulk'
  | 'cleanup'
  | 'declareTypes'
  | 'drainWorker'
  | 'pause'
  | 'pauseType'
  | 'remove'
  | 'resume'
  | 'resumeType'
  | 'retry'
  | 'runNow'
  | 'startBulk'
  | 'undoBulk'
  | 'updateSettings'
  | 'updateType'
>

export function createOperatorVerbs(parts: OperatorVerbsParts): OperatorVerbs & AuditVerb {
  const { store, commits, events, bulks, admitter } = parts

  const emit = async (kind: Exclude<QueueEvent['kind'], 'jobs' | 'bulk'>) =>
    events.emit({ kind, at: await store.now() })

  const act = (action: OpOf<'jobAction'>['action']) => async (params: Params<'retry'>) =>
    commits.submit<'jobAction'>({ kind: 'jobAction', action, ...params })

  async function updateType(params: Params<'updateType'>): Promise<void> {
    const stored = commits.submit<'overrideType'>({ kind: 'overrideType', ...params })
    if ('group' in params.set || params.clear.includes('group')) admitter.check()
    await stored
    await emit('types')
  }

  async function updateSettings(params: Params<'updateSettings'>): Promise<void> {
    await commits.submit<'putSettings'>({ kind: 'putSettings', ...params })
    await emit('settings')
  }

  async function findBulk(id: string): Promise<BulkRow> {
    const row = await store.bulk(id)
    if (!row) throw new QueueError('NOT_FOUND', `There is no bulk operation ${id}.`, { id })
    events.emit({ kind: 'bulk', at: await store.now(), id })
    bulks.check()
    return row
  }

  return {
    retry: act('retry'),
    runNow: act('runNow'),
    cancel: act('cancel'),
    remove: act('remove'),
    async cleanup({ actor, olderThanMs, status, type }) {
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
    async declareTypes({ types, actor }) {
      const changesGroups = await redeclaresGroups(store, types)
      const stored = commits.submit<'declareTypes'>({
        kind: 'declareTypes',
        types: types.map(({ name, kind, settings }) => ({ name, kind, declared: settings })),
        actor,
      })
      if (changesGroups) admitter.check()
      await stored
      await emit('types')
    },
    updateType,
    pauseType: async (params) => updateType({ ...params, set: { paused: true }, clear: [] }),
    resumeType: async (params) => updateType({ ...params, set: { paused: false }, clear: [] }),
    updateSettings,
    pause: async ({ actor }) => updateSettings({ actor, set: { paused: true }, clear: [] }),
    resume: async ({ actor }) => updateSettings({ actor, set: { paused: false }, clear: [] }),
    async drainWorker(params) {
      await commits.submit<'drainWorker'>({ kind: 'drainWorker', ...params })
      await emit('workers')
    },
    async startBulk(params) {
      const id = newId()
      await commits.submit<'bulkStart'>({ kind: 'bulkStart', id, ...params })
      return findBulk(id)
    },
    async cancelBulk({ id, actor }) {
      await commits.submit<'bulkCancel'>({ kind: 'bulkCancel', id, actor })
      return findBulk(id)
    },
    async undoBulk({ id, actor }) {
      await commits.submit<'bulkUndo'>({ kind: 'bulkUndo', id, actor })
      return findBulk(id)
    },
    async audit({ actor, ...input }) {
      const { target = null, ...entry } = parseInput(auditInput, input)
      await commits.submit<'audit'>({ kind: 'audit', ...entry, target, actor: parseActor(actor) })
    },
  }
}

/** Whether rules of groups change: each start of a worker declares its types again, and a pass over all keys takes time. */
async function redeclaresGroups(store: Store, types: Params<'declareTypes'>['types']): Promise<boolean> {
  const known = new Map((await store.types()).map(({ name, declared }) => [name, JSON.stringify(declared.group)]))
  return types.some(({ name, settings }) => JSON.stringify(settings.group) !== known.get(name))
}

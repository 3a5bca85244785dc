/** Declaration of schedules by code: the full set of one owner, compared with what is stored. */
import { QueueError } from '../../../../shared/errors.ts'
import type { DeclaredSchedules, ScheduleSettings } from '../../../../shared/schedules/schedule.ts'
import { effectiveSchedule, equalSettings } from '../../../../shared/schedules/settings.ts'
import type { ParsedVerbs } from '../../../../shared/verbs/verb-inputs.ts'
import type { StoredSchedule } from '../../../store/rows/schedule-rows.ts'
import type { Store } from '../../../store/store.ts'
import {
  haveSameTicks,
  laterOf,
  nextColumns,
  type ScheduleAction,
  settingsColumns,
  withoutPayload,
} from './schedule-rows.ts'

export interface DeclarationParts {
  readonly store: Store
  readonly change: (
    name: string,
    decide: (row: StoredSchedule | null, now: number) => ScheduleAction | null,
  ) => Promise<unknown>
  readonly maxPayloadBytes: number
}

/** Schedules changed in one turn of the event loop. */
const CHUNK = 50

export function createDeclaration({
  store,
  change,
  maxPayloadBytes,
}: DeclarationParts): ParsedVerbs['declareSchedules'] {
  return async ({ owner, schedules, graceMs, actor }): Promise<DeclaredSchedules> => {
    const names = new Set(schedules.map(({ name }) => name))
    const stored = await store.schedulesNamed({ names: [...names], owner })
    const foreign = stored.find((row) => names.has(row.name) && row.owner !== owner)
    if (foreign) throw otherOwner(foreign)
    // All are checked before the first is stored.
    for (const { name, ...settings } of schedules) {
      const override = stored.find((row) => row.name === name)?.override ?? {}
      settingsColumns(settings, override, maxPayloadBytes)
    }
    const created: string[] = []
    const changed: string[] = []
    const orphaned: string[] = []

    const declare = ({ name, ...settings }: (typeof schedules)[number]) =>
      change(name, (row, now) => {
        if (row && row.owner !== owner) throw otherOwner(row)
        const action = declaredAction(row, { name, settings, owner, actor, now, maxPayloadBytes })
        if (action) (row ? changed : created).push(name)
        return action
      })
    const orphan = (name: string) =>
      change(name, (row, now) => {
        if (!row || row.owner !== owner || row.orphanedAt !== null) return null
        orphaned.push(name)
        return orphanedAction(row, { now, graceMs, actor })
      })

    const missing = stored.filter((row) => row.owner === owner && !names.has(row.name)).map(({ name }) => name)
    await inChunks(schedules, declare)
    await inChunks(missing, orphan)
    const once = (list: readonly string[]) => [...new Set(list)].sort()
    return { created: once(created), changed: once(changed), orphaned: once(orphaned) }
  }
}

async function inChunks<Item>(items: readonly Item[], run: (item: Item) => Promise<unknown>): Promise<void> {
  for (let start = 0; start < items.length; start += CHUNK) {
    await Promise.all(items.slice(start, start + CHUNK).map(run))
    await new Promise(setImmediate)
  }
}

interface Declared {
  readonly name: string
  readonly settings: ScheduleSettings
  readonly owner: string
  readonly actor: string
  readonly now: number
  readonly maxPayloadBytes: number
}

/** null: it is declared like this already. */
function declaredAction(row: StoredSchedule | null, given: Declared): ScheduleAction | null {
  const { name, settings, owner, actor, now, maxPayloadBytes } = given
  if (row?.declared && row.orphanedAt === null && equalSettings(row.declared, settings)) return null
  const override = row?.override ?? {}
  const effective = effectiveSchedule(settings, override)
  const back = { orphanedAt: null, stopsAt: null }
  const base = { pausedAt: null, runs: 0, lastTickAt: null, ...row, ...back, name }
  // Unchanged ticks keep the next one, and with it what is still to be caught up after a deployment.
  const isKept =
    row?.declared && row.nextTickAt !== null && haveSameTicks(effectiveSchedule(row.declared, override), effective)
  const next = isKept ? {} : nextColumns(base, effective, laterOf(now, base))
  const columns = settingsColumns(settings, override, maxPayloadBytes)
  const entry = { actor, action: 'schedules.declare', details: { owner, ...withoutPayload(settings) } }
  return { set: { ...columns, ...next, ...back, owner, updatedAt: now }, entry }
}

function orphanedAction(
  row: StoredSchedule,
  { now, graceMs, actor }: { readonly now: number; readonly graceMs: number; readonly actor: string },
): ScheduleAction {
  const { nextTickAt, owner } = row
  const stopsAt = now + graceMs
  const stopped = nextTickAt !== null && nextTickAt >= stopsAt ? { nextTickAt: null, nextRunAt: null } : {}
  const entry = { actor, action: 'schedules.orphan', details: { owner, stopsAt } }
  return { set: { orphanedAt: now, stopsAt, ...stopped, updatedAt: now }, entry }
}

function otherOwner({ name, owner }: StoredSchedule): QueueError {
  const who = owner === null ? 'an operator' : `the application ${owner}`
  return new QueueError('WRONG_STATE', `Schedule ${name} belongs to ${who}; choose another name, or delete it first.`, {
    name,
    owner,
  })
}

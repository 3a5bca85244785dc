/** What operators and code set: type settings, queue settings, workers, the audit trail, who leads upkeep. */
import { QueueError } from '../../../../shared/errors.ts'
import { hideSecrets } from '../../../../shared/webhooks.ts'
import type { ClockTrust } from '../../clock-trust.ts'
import type { OpOf, OpValue } from '../../ops.ts'
import type { Catalog } from '../claims/catalog.ts'
import type { Client } from '../connection/open.ts'

const UPKEEP = 'upkeep'
/** Beside the leader: until when the clock was believed. */
export const CLOCK = 'clock'
/** For how long a clock that is not believed has been steady; 0 while it is believed. */
export const CLOCK_STEADY = 'clock steady'
/** A lease that ends later than a new one by more than this was written before the clock was set back. */
const CLOCK_SLACK_MS = 30_000

export class Control {
  private readonly catalog: Catalog
  private readonly trust: ClockTrust
  private readonly statements

  constructor(client: Client, catalog: Catalog, trust: ClockTrust) {
    this.catalog = catalog
    this.trust = trust
    this.statements = {
      declare: client.prepare(
        'UPDATE millrace_job_types SET declared = ?, updated_at = ? WHERE name = ? AND declared <> ?',
      ),
      override: client.prepare<[string], string>('SELECT override FROM millrace_job_types WHERE name = ?').pluck(),
      writeOverride: client.prepare('UPDATE millrace_job_types SET override = ?, updated_at = ? WHERE name = ?'),
      putSetting: client.prepare(
        `INSERT INTO millrace_settings (key, value, updated_at) VALUES (?, ?, ?)
         ON CONFLICT DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at`,
      ),
      clearSetting: client.prepare('DELETE FROM millrace_settings WHERE key = ?'),
      seeWorker: client.prepare(
        `INSERT INTO millrace_workers (name, types, slots, version, process, started_at, seen_at)
         VALUES (@worker, coalesce(@types, '[]'), @slots, @version, @process, @now, @now)
         ON CONFLICT DO UPDATE SET seen_at = excluded.seen_at, types = coalesce(@types, types),
           slots = iif(@types IS NULL, slots, excluded.slots), version = iif(@types IS NULL, version, excluded.version),
           process = iif(@types IS NULL, process, excluded.process),
           started_at = iif(@process <> coalesce(process, ''), excluded.started_at, started_at),
           drain_requested_at = iif(@process <> coalesce(process, ''), NULL, drain_requested_at)`,
      ),
      drain: client.prepare('UPDATE millrace_workers SET drain_requested_at = ? WHERE name = ?'),
      audit: client.prepare('INSERT INTO millrace_audit (at, actor, action, target, details) VALUES (?, ?, ?, ?, ?)'),
      // One statement decides: the row is free, ours, has run out, or was written before the clock was set back.
      lead: client
        .prepare<[string, string, number, number, 0 | 1], string>(
          `INSERT INTO millrace_leadership (name, holder, until) VALUES (?, ?, ?)
           ON CONFLICT DO UPDATE SET holder = excluded.holder, until = excluded.until
             WHERE millrace_leadership.holder = excluded.holder OR millrace_leadership.until <= ?
               OR millrace_leadership.until > excluded.until + ${CLOCK_SLACK_MS} OR ?
           RETURNING holder`,
        )
        .pluck(),
      noteClock: client.prepare(
        `INSERT INTO millrace_leadership (name, holder, until) VALUES (?, '', ?)
         ON CONFLICT DO UPDATE SET until = excluded.until`,
      ),
      resign: client.prepare('DELETE FROM millrace_leadership WHERE name = ? AND holder = ?'),
    }
  }

  declareTypes(op: OpOf<'declareTypes'>, now: number): null {
    for (const { name, kind, declared } of op.types) {
      this.catalog.ensureType(name, kind, now)
      const json = JSON.stringify(declared)
      const { changes } = this.statements.declare.run(json, now, name, json)
      if (changes > 0 && op.actor !== undefined) this.audit(op.actor, 'types.declare', name, { declared }, now)
    }
    this.catalog.changed()
    return null
  }

  overrideType(op: OpOf<'overrideType'>, now: number): null {
    const json = this.statements.override.get(op.name)
    if (json === undefined) {
      throw new QueueError('NOT_FOUND', `There is no type ${op.name} yet; enqueue a job of it or declare it first.`, {
        type: op.name,
      })
    }
    const override: Record<string, unknown> = { ...JSON.parse(json), ...op.set }
    for (const key of op.clear) delete override[key]
    this.statements.writeOverride.run(JSON.stringify(override), now, op.name)
    this.audit(op.actor, 'types.update', op.name, { set: op.set, clear: op.clear }, now)
    this.catalog.changed()
    return null
  }

  putSettings(op: OpOf<'putSettings'>, now: number): null {
    for (const [key, value] of Object.entries(op.set)) this.statements.putSetting.run(key, JSON.stringify(value), now)
    for (const key of op.clear) this.statements.clearSetting.run(key)
    this.audit(op.actor, 'settings.update', null, { set: hideSecrets(op.set), clear: op.clear }, now)
    this.catalog.changed()
    return null
  }

  seeWorker(op: OpOf<'seeWorker'>, now: number): null {
    const types = op.types === null ? null : JSON.stringify(op.types)
    const { slots = null, version = null, process = null } = op.about ?? {}
    this.statements.seeWorker.run({ worker: op.worker, types, slots, version, process, now })
    // A drain is for the process that was there: the next one with the same name takes jobs.
    if (process !== null && this.catalog.isDraining(op.worker)) this.catalog.changed()
    return null
  }

  drainWorker(op: OpOf<'drainWorker'>, now: number): null {
    if (this.statements.drain.run(op.drain ? now : null, op.worker).changes === 0) {
      throw new QueueError('NOT_FOUND', `No worker ${op.worker} has been seen; workers.list names those that were.`)
    }
    this.audit(op.actor, op.drain ? 'workers.drain' : 'workers.undrain', op.worker, {}, now)
    this.catalog.changed()
    return null
  }

  audit(actor: string, action: string, target: string | null, details: unknown, now: number): null {
    this.statements.audit.run(now, actor, action, target, JSON.stringify(details ?? {}))
    return null
  }

  lead(op: OpOf<'lead'>, now: number): OpValue<'lead'> {
    const holder = this.statements.lead.get(UPKEEP, op.holder, now + op.ttlMs, now, op.takeOver ? 1 : 0)
    const leads = holder === op.holder
    if (leads) {
      if (this.trust.isSure) this.statements.noteClock.run(CLOCK, now)
      this.statements.noteClock.run(CLOCK_STEADY, this.trust.isSure ? 0 : this.trust.steadyMs)
      this.trust.warn()
    }
    return { leads }
  }

  resign(op: OpOf<'resign'>): null {
    this.statements.resign.run(UPKEEP, op.holder)
    return null
  }
}

/** Control plane: type settings, queue settings, workers, the audit trail, leadership of upkeep. */
import { and, eq, gt, inArray, lte, or } from 'drizzle-orm'
import { jobTypes, leadership, settings, workers } from '../../../../drizzle/sqlite/schema.ts'
import { QueueError } from '../../../../shared/errors.ts'
import { hideSecrets } from '../../../../shared/settings/webhooks.ts'
import type { ClockTrust } from '../../clock-trust.ts'
import type { OpOf, OpValue } from '../../ops.ts'
import type { Catalog } from '../claims/catalog.ts'
import { type Client, type QueryBuilder, queryBuilder } from '../connection/open.ts'

const UPKEEP = 'upkeep'
/** Name of a row: the last time at which the leader trusted the clock. */
export const CLOCK = 'clock'
/** Name of a row: how long an untrusted clock has run evenly; 0 while it is trusted. */
export const CLOCK_STEADY = 'clock steady'
/** A leadership that ends this much later than a new one would was written before the clock was set back. */
const CLOCK_SLACK_MS = 30_000

type AuditEntry = Omit<OpOf<'audit'>, 'kind'>

export class Control {
  private readonly db: QueryBuilder
  private readonly catalog: Catalog
  private readonly trust: ClockTrust
  private readonly statements

  constructor(client: Client, catalog: Catalog, trust: ClockTrust) {
    this.db = queryBuilder(client)
    this.catalog = catalog
    this.trust = trust
    // Prepared, because they run often: with every claim, once per job of a bulk operation, once per type of a worker that
    // starts. 1,000 updates of a type took 39 to 67 ms through the query builder and 1.4 to 1.9 ms prepared.
    this.statements = {
      seeWorker: client.prepare(
        `INSERT INTO millrace_workers (name, types, slots, version, process, started_at, seen_at)
         VALUES (@worker, coalesce(@types, '[]'), @slots, @version, @process, @now, @now)
         ON CONFLICT DO UPDATE SET seen_at = excluded.seen_at, types = coalesce(@types, types),
           slots = iif(@types IS NULL, slots, excluded.slots), version = iif(@types IS NULL, version, excluded.version),
           process = iif(@types IS NULL, process, excluded.process),
           started_at = iif(@process <> coalesce(process, ''), excluded.started_at, started_at),
           drain_requested_at = iif(@process <> coalesce(process, ''), NULL, drain_requested_at)`,
      ),
      declareType: client.prepare(
        `UPDATE millrace_job_types SET declared = @declared, updated_at = @now WHERE name = @name AND declared <> @declared`,
      ),
      audit: client.prepare('INSERT INTO millrace_audit (at, actor, action, target, details) VALUES (?, ?, ?, ?, ?)'),
    }
  }

  declareTypes(op: OpOf<'declareTypes'>, now: number): null {
    for (const { name, kind, declared } of op.types) {
      this.catalog.ensureType(name, kind, now)
      const json = JSON.stringify(declared)
      const { changes } = this.statements.declareType.run({ name, declared: json, now })
      if (changes > 0 && op.actor !== undefined)
        this.audit({ actor: op.actor, action: 'types.declare', target: name, details: { declared } }, now)
    }
    this.catalog.changed()
    return null
  }

  overrideType(op: OpOf<'overrideType'>, now: number): null {
    const isNamed = eq(jobTypes.name, op.name)
    const row = this.db.select({ override: jobTypes.override }).from(jobTypes).where(isNamed).get()
    if (!row) {
      throw new QueueError('NOT_FOUND', `There is no type ${op.name} yet; enqueue a job of it or declare it first.`, {
        type: op.name,
      })
    }
    const override: Record<string, unknown> = { ...JSON.parse(row.override), ...op.set }
    for (const key of op.clear) delete override[key]
    this.db
      .update(jobTypes)
      .set({ override: JSON.stringify(override), updatedAt: now })
      .where(isNamed)
      .run()
    this.audit(
      { actor: op.actor, action: 'types.update', target: op.name, details: { set: op.set, clear: op.clear } },
      now,
    )
    this.catalog.changed()
    return null
  }

  putSettings(op: OpOf<'putSettings'>, now: number): null {
    for (const [key, value] of Object.entries(op.set)) {
      const row = { value: JSON.stringify(value), updatedAt: now }
      this.db
        .insert(settings)
        .values({ key, ...row })
        .onConflictDoUpdate({ target: settings.key, set: row })
        .run()
    }
    this.db
      .delete(settings)
      .where(inArray(settings.key, [...op.clear]))
      .run()
    this.audit(
      {
        actor: op.actor,
        action: 'settings.update',
        target: null,
        details: { set: hideSecrets(op.set), clear: op.clear },
      },
      now,
    )
    this.catalog.changed()
    return null
  }

  seeWorker(op: OpOf<'seeWorker'>, now: number): null {
    const types = op.types === null ? null : JSON.stringify(op.types)
    const { slots = null, version = null, process = null } = op.about ?? {}
    this.statements.seeWorker.run({ worker: op.worker, types, slots, version, process, now })
    // A drain applies to one process: the next process with the same worker name takes jobs.
    if (process !== null && this.catalog.isDraining(op.worker)) this.catalog.changed()
    return null
  }

  drainWorker(op: OpOf<'drainWorker'>, now: number): null {
    const { changes } = this.db
      .update(workers)
      .set({ drainRequestedAt: op.drain ? now : null })
      .where(eq(workers.name, op.worker))
      .run()
    if (changes === 0) {
      throw new QueueError('NOT_FOUND', `There is no worker ${op.worker}; workers.list returns the known workers.`)
    }
    this.audit(
      { actor: op.actor, action: op.drain ? 'workers.drain' : 'workers.undrain', target: op.worker, details: {} },
      now,
    )
    this.catalog.changed()
    return null
  }

  audit({ actor, action, target, details }: AuditEntry, now: number): null {
    this.statements.audit.run(now, actor, action, target, JSON.stringify(details ?? {}))
    return null
  }

  /** One statement decides. The row is free, held by this node, expired, or was written before the clock was set back. */
  lead(op: OpOf<'lead'>, now: number): OpValue<'lead'> {
    const row = { holder: op.holder, until: now + op.ttlMs }
    const isFree = or(
      eq(leadership.holder, row.holder),
      lte(leadership.until, now),
      gt(leadership.until, row.until + CLOCK_SLACK_MS),
    )
    const { changes } = this.db
      .insert(leadership)
      .values({ name: UPKEEP, ...row })
      .onConflictDoUpdate({ target: leadership.name, set: row, ...(!op.takeOver && isFree && { setWhere: isFree }) })
      .run()
    const leads = changes === 1
    if (leads) {
      if (this.trust.isSure) this.noteClock(CLOCK, now)
      this.noteClock(CLOCK_STEADY, this.trust.isSure ? 0 : this.trust.steadyMs)
      this.trust.warn()
    }
    return { leads }
  }

  resign(op: OpOf<'resign'>): null {
    this.db
      .delete(leadership)
      .where(and(eq(leadership.name, UPKEEP), eq(leadership.holder, op.holder)))
      .run()
    return null
  }

  private noteClock(name: string, until: number): void {
    this.db
      .insert(leadership)
      .values({ name, holder: '', until })
      .onConflictDoUpdate({ target: leadership.name, set: { until } })
      .run()
  }
}

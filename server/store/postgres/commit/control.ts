/** Control plane: type settings, queue settings, workers, the audit trail, leadership of upkeep. */
import { and, asc, eq, gt, inArray, lte, ne, or } from 'drizzle-orm'
import { jobTypes, leadership, settings, workers } from '../../../../drizzle/postgres/schema.ts'
import { QueueError } from '../../../../shared/errors.ts'
import { hideSecrets } from '../../../../shared/settings/webhooks.ts'
import type { ClockTrust } from '../../clock-trust.ts'
import type { OpOf, OpValue } from '../../ops.ts'
import type { Catalog } from '../claims/catalog.ts'
import { columns, type Session } from '../connection/session.ts'

const UPKEEP = 'upkeep'
/** Name of a row: the last time at which the leader trusted the clock. */
export const CLOCK = 'clock'
/** Name of a row: how long an untrusted clock has run evenly; 0 while it is trusted. */
export const CLOCK_STEADY = 'clock steady'
/** A leadership that ends this much later than a new one would was written before the clock was set back. */
const CLOCK_SLACK_MS = 30_000

/** Worker report, with types as JSON. */
type WorkerReport = Pick<typeof workers.$inferSelect, 'types' | 'slots' | 'version' | 'process'>

type AuditEntry = Omit<OpOf<'audit'>, 'kind'>

export class Control {
  private readonly session: Session
  private readonly catalog: Catalog
  private readonly trust: ClockTrust
  /** Workers seen in this commit with their reports; null: keep the stored report. */
  private readonly seen = new Map<string, WorkerReport | null>()
  /** Audit entries of this commit: actor, action, target and details. */
  private readonly trail: (readonly [string, string, string | null, string])[] = []

  constructor(session: Session, catalog: Catalog, trust: ClockTrust) {
    this.trust = trust
    this.session = session
    this.catalog = catalog
  }

  /**
   * A commit that changes rules first locks every row that it may need later, in the order that all commits use: upkeep, the
   * queue, the types by name. Locking them one by one later could deadlock.
   */
  async lockRules(): Promise<void> {
    const { db } = this.session
    await db.select({ name: leadership.name }).from(leadership).where(eq(leadership.name, UPKEEP)).for('update')
    await db.select({ key: settings.key }).from(settings).where(eq(settings.key, 'rate')).for('update')
    await db.select({ name: jobTypes.name }).from(jobTypes).orderBy(asc(jobTypes.name)).for('update')
  }

  async declareTypes(op: OpOf<'declareTypes'>): Promise<null> {
    const { session } = this
    for (const { name, kind } of op.types) this.catalog.refuseOtherKind(name, kind)
    await this.catalog.ensureTypes(session, op.types)
    for (const { name, kind, declared } of op.types) {
      this.catalog.refuseOtherKind(name, kind)
      const json = JSON.stringify(declared)
      const { rowCount } = await session.db
        .update(jobTypes)
        .set({ declared: json, updatedAt: session.now })
        .where(and(eq(jobTypes.name, name), ne(jobTypes.declared, json)))
      if (rowCount && op.actor !== undefined)
        this.audit({ actor: op.actor, action: 'types.declare', target: name, details: { declared } })
    }
    await this.catalog.changed(session)
    return null
  }

  async overrideType(op: OpOf<'overrideType'>): Promise<null> {
    const { session } = this
    const isNamed = eq(jobTypes.name, op.name)
    const [row] = await session.db.select({ override: jobTypes.override }).from(jobTypes).where(isNamed).for('update')
    if (!row) {
      throw new QueueError('NOT_FOUND', `There is no type ${op.name} yet; enqueue a job of it or declare it first.`, {
        type: op.name,
      })
    }
    const override: Record<string, unknown> = { ...JSON.parse(row.override), ...op.set }
    for (const key of op.clear) delete override[key]
    await session.db
      .update(jobTypes)
      .set({ override: JSON.stringify(override), updatedAt: session.now })
      .where(isNamed)
    this.audit({ actor: op.actor, action: 'types.update', target: op.name, details: { set: op.set, clear: op.clear } })
    await this.catalog.changed(session)
    return null
  }

  async putSettings(op: OpOf<'putSettings'>): Promise<null> {
    const { session } = this
    for (const [key, value] of Object.entries(op.set)) {
      const row = { value: JSON.stringify(value), updatedAt: session.now }
      await session.db
        .insert(settings)
        .values({ key, ...row })
        .onConflictDoUpdate({ target: settings.key, set: row })
    }
    await session.db.delete(settings).where(inArray(settings.key, [...op.clear]))
    this.audit({
      actor: op.actor,
      action: 'settings.update',
      target: null,
      details: { set: hideSecrets(op.set), clear: op.clear },
    })
    await this.catalog.changed(session)
    return null
  }

  /** Written by `flush`. */
  seeWorker(op: OpOf<'seeWorker'>): null | Promise<null> {
    const { worker, types, about: { slots = null, version = null, process = null } = {} } = op
    const earlier = this.seen.get(worker) ?? null
    this.seen.set(worker, types === null ? earlier : { types: JSON.stringify(types), slots, version, process })
    return process !== null && this.catalog.isDraining(worker) ? this.endDrain() : null
  }

  /** A drain applies to one process: the next process with the same worker name takes jobs, in this very commit. */
  private async endDrain(): Promise<null> {
    this.flush()
    await this.catalog.changed(this.session)
    return null
  }

  /** At the end of a commit, ordered by name: a worker may call several nodes, and their commits must not deadlock on its row. */
  flush(): void {
    if (this.seen.size === 0) return
    const seen = [...this.seen].sort(([a], [b]) => (a < b ? -1 : 1))
    this.seen.clear()
    this.session.send(
      'see-workers',
      `INSERT INTO millrace_workers (name, types, slots, version, process, started_at, seen_at)
       SELECT name, coalesce(types, '[]'), slots, version, process, $6, $6
       FROM unnest($1::text[], $2::text[], $3::int[], $4::text[], $5::text[])
         WITH ORDINALITY AS s (name, types, slots, version, process, place)
       ORDER BY place
       ON CONFLICT (name) DO UPDATE SET seen_at = excluded.seen_at,
         started_at = CASE WHEN excluded.process <> coalesce(millrace_workers.process, '')
           THEN excluded.started_at ELSE millrace_workers.started_at END,
         drain_requested_at = CASE WHEN excluded.process <> coalesce(millrace_workers.process, '')
           THEN NULL ELSE millrace_workers.drain_requested_at END,
         (types, slots, version, process) = (
         SELECT coalesce(s.types, millrace_workers.types),
           CASE WHEN s.types IS NULL THEN millrace_workers.slots ELSE excluded.slots END,
           CASE WHEN s.types IS NULL THEN millrace_workers.version ELSE excluded.version END,
           CASE WHEN s.types IS NULL THEN millrace_workers.process ELSE excluded.process END
         FROM unnest($1::text[], $2::text[]) AS s (name, types) WHERE s.name = millrace_workers.name)`,
      [
        ...columns(seen, ([name, report]) => [
          name,
          report?.types ?? null,
          report?.slots ?? null,
          report?.version ?? null,
          report?.process ?? null,
        ]),
        this.session.now,
      ],
    )
  }

  async drainWorker(op: OpOf<'drainWorker'>): Promise<null> {
    const { session } = this
    this.flush()
    const { rowCount } = await session.db
      .update(workers)
      .set({ drainRequestedAt: op.drain ? session.now : null })
      .where(eq(workers.name, op.worker))
    if (rowCount === 0) {
      throw new QueueError('NOT_FOUND', `There is no worker ${op.worker}; workers.list returns the known workers.`)
    }
    this.audit({
      actor: op.actor,
      action: op.drain ? 'workers.drain' : 'workers.undrain',
      target: op.worker,
      details: {},
    })
    await this.catalog.changed(session)
    return null
  }

  /** Written by `writeTrail`. */
  audit({ actor, action, target, details }: AuditEntry): null {
    this.trail.push([actor, action, target, JSON.stringify(details ?? {})])
    return null
  }

  /** At the end of a commit, in the order of its operations. */
  writeTrail(): void {
    if (this.trail.length === 0) return
    const entries = this.trail.splice(0)
    this.session.send(
      'audit',
      `INSERT INTO millrace_audit (at, actor, action, target, details)
       SELECT $5, actor, action, target, details
       FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) WITH ORDINALITY AS e (actor, action, target, details, place)
       ORDER BY place`,
      [...columns(entries, (entry) => entry), this.session.now],
      entries.length,
    )
  }

  /** One statement decides. The row is free, held by this node, expired, or was written before the clock was set back. */
  async lead(op: OpOf<'lead'>): Promise<OpValue<'lead'>> {
    const { now } = this.session
    const row = { holder: op.holder, until: now + op.ttlMs }
    const isFree = or(
      eq(leadership.holder, row.holder),
      lte(leadership.until, now),
      gt(leadership.until, row.until + CLOCK_SLACK_MS),
    )
    const { rowCount } = await this.session.db
      .insert(leadership)
      .values({ name: UPKEEP, ...row })
      .onConflictDoUpdate({ target: leadership.name, set: row, ...(!op.takeOver && isFree && { setWhere: isFree }) })
    const leads = rowCount === 1
    if (leads) {
      if (this.trust.isSure) await this.noteClock(CLOCK, now)
      await this.noteClock(CLOCK_STEADY, this.trust.isSure ? 0 : this.trust.steadyMs)
      this.trust.warn()
    }
    return { leads }
  }

  async resign(op: OpOf<'resign'>): Promise<null> {
    const isOurs = and(eq(leadership.name, UPKEEP), eq(leadership.holder, op.holder))
    await this.session.db.delete(leadership).where(isOurs)
    return null
  }

  private async noteClock(name: string, until: number): Promise<void> {
    await this.session.db
      .insert(leadership)
      .values({ name, holder: '', until })
      .onConflictDoUpdate({ target: leadership.name, set: { until } })
  }
}

/** What operators and code set: type settings, queue settings, workers, the audit trail, who leads upkeep. */
import { QueueError } from '../../../../shared/errors.ts'
import { hideSecrets } from '../../../../shared/webhooks.ts'
import type { ClockTrust } from '../../clock-trust.ts'
import type { OpOf, OpValue } from '../../ops.ts'
import type { Catalog } from '../claims/catalog.ts'
import { columns, type Session } from '../connection/session.ts'

const UPKEEP = 'upkeep'
/** Beside the leader: until when the clock was believed. */
export const CLOCK = 'clock'
/** For how long a clock that is not believed has been steady; 0 while it is believed. */
export const CLOCK_STEADY = 'clock steady'
/** A lease that ends later than a new one by more than this was written before the clock was set back. */
const CLOCK_SLACK_MS = 30_000

/** Types as JSON. */
interface Said {
  readonly types: string
  readonly slots: number | null
  readonly version: string | null
  readonly process: string | null
}

export class Control {
  private readonly session: Session
  private readonly catalog: Catalog
  private readonly trust: ClockTrust
  /** Workers that were seen in this commit, and what they said of themselves; null: as last known. */
  private readonly seen = new Map<string, Said | null>()
  /** Actor, action, target and details of what was done in this commit. */
  private readonly trail: (readonly [string, string, string | null, string])[] = []

  constructor(session: Session, catalog: Catalog, trust: ClockTrust) {
    this.trust = trust
    this.session = session
    this.catalog = catalog
  }

  /**
   * Whoever changes rules holds all that the rest of its commit could want of them, in the order of everybody else: upkeep,
   * the queue, the types by name. One of them now and the others later would be waiting for each other.
   */
  async lockRules(): Promise<void> {
    await this.session.rows(
      'lock-upkeep',
      `SELECT name FROM millrace_leadership WHERE name = '${UPKEEP}' FOR UPDATE`,
      [],
    )
    await this.session.rows('lock-queue', `SELECT key FROM millrace_settings WHERE key = 'rate' FOR UPDATE`, [])
    await this.session.rows('lock-all-types', 'SELECT name FROM millrace_job_types ORDER BY name FOR UPDATE', [])
  }

  async declareTypes(op: OpOf<'declareTypes'>): Promise<null> {
    const { session } = this
    for (const { name, kind } of op.types) this.catalog.refuseOtherKind(name, kind)
    await this.catalog.ensureTypes(session, op.types)
    for (const { name, kind, declared } of op.types) {
      this.catalog.refuseOtherKind(name, kind)
      const text = 'UPDATE millrace_job_types SET declared = $1, updated_at = $2 WHERE name = $3 AND declared <> $1'
      const changed = await session.run('declare', text, [JSON.stringify(declared), session.now, name])
      if (changed > 0 && op.actor !== undefined) this.audit(op.actor, 'types.declare', name, { declared })
    }
    await this.catalog.changed(session)
    return null
  }

  async overrideType(op: OpOf<'overrideType'>): Promise<null> {
    const { session } = this
    const text = 'SELECT override FROM millrace_job_types WHERE name = $1 FOR UPDATE'
    const [row] = await session.rows<{ override: string }>('override', text, [op.name])
    if (!row) {
      throw new QueueError('NOT_FOUND', `There is no type ${op.name} yet; enqueue a job of it or declare it first.`, {
        type: op.name,
      })
    }
    const override: Record<string, unknown> = { ...JSON.parse(row.override), ...op.set }
    for (const key of op.clear) delete override[key]
    const write = 'UPDATE millrace_job_types SET override = $1, updated_at = $2 WHERE name = $3'
    await session.run('write-override', write, [JSON.stringify(override), session.now, op.name])
    this.audit(op.actor, 'types.update', op.name, { set: op.set, clear: op.clear })
    await this.catalog.changed(session)
    return null
  }

  async putSettings(op: OpOf<'putSettings'>): Promise<null> {
    const { session } = this
    for (const [key, value] of Object.entries(op.set)) {
      await session.run(
        'put-setting',
        `INSERT INTO millrace_settings (key, value, updated_at) VALUES ($1, $2, $3)
         ON CONFLICT (key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at`,
        [key, JSON.stringify(value), session.now],
      )
    }
    await session.run('clear-settings', 'DELETE FROM millrace_settings WHERE key = ANY($1::text[])', [op.clear])
    this.audit(op.actor, 'settings.update', null, { set: hideSecrets(op.set), clear: op.clear })
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

  /** A drain is for the process that was there: the next one with the same name takes jobs, in this very commit. */
  private async endDrain(): Promise<null> {
    this.flush()
    await this.catalog.changed(this.session)
    return null
  }

  /** At the end of a commit and by name: a worker talks to several nodes, and none may wait for its row holding another. */
  flush(): void {
    if (this.seen.size === 0) return
    const workers = [...this.seen].sort(([a], [b]) => (a < b ? -1 : 1))
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
        ...columns(workers, ([name, said]) => [
          ...[name, said?.types ?? null, said?.slots ?? null, said?.version ?? null, said?.process ?? null],
        ]),
        this.session.now,
      ],
    )
  }

  async drainWorker(op: OpOf<'drainWorker'>): Promise<null> {
    const { session } = this
    this.flush()
    const text = 'UPDATE millrace_workers SET drain_requested_at = $1 WHERE name = $2'
    if ((await session.run('drain', text, [op.drain ? session.now : null, op.worker])) === 0) {
      throw new QueueError('NOT_FOUND', `No worker ${op.worker} has been seen; workers.list names those that were.`)
    }
    this.audit(op.actor, op.drain ? 'workers.drain' : 'workers.undrain', op.worker, {})
    await this.catalog.changed(session)
    return null
  }

  /** Written by `writeTrail`. */
  audit(actor: string, action: string, target: string | null, details: unknown): null {
    this.trail.push([actor, action, target, JSON.stringify(details ?? {})])
    return null
  }

  /** At the end of a commit, in the order of its acts. */
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

  /** One statement decides: the row is free, ours, has run out, or was written before the clock was set back. */
  async lead(op: OpOf<'lead'>): Promise<OpValue<'lead'>> {
    const { now } = this.session
    const taken = await this.session.run(
      'lead',
      `INSERT INTO millrace_leadership (name, holder, until) VALUES ($1, $2, $3)
       ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
         WHERE millrace_leadership.holder = excluded.holder OR millrace_leadership.until <= $4
           OR millrace_leadership.until > excluded.until + ${CLOCK_SLACK_MS} OR $5`,
      [UPKEEP, op.holder, now + op.ttlMs, now, op.takeOver],
    )
    const leads = taken === 1
    if (leads) {
      if (this.trust.isSure) await this.noteClock(CLOCK, now)
      await this.noteClock(CLOCK_STEADY, this.trust.isSure ? 0 : this.trust.steadyMs)
      this.trust.warn()
    }
    return { leads }
  }

  private async noteClock(name: string, ms: number): Promise<void> {
    await this.session.run(
      'note-clock',
      `INSERT INTO millrace_leadership (name, holder, until) VALUES ($1, '', $2)
       ON CONFLICT (name) DO UPDATE SET until = excluded.until`,
      [name, ms],
    )
  }

  async resign(op: OpOf<'resign'>): Promise<null> {
    await this.session.run('resign', 'DELETE FROM millrace_leadership WHERE name = $1 AND holder = $2', [
      UPKEEP,
      op.holder,
    ])
    return null
  }
}

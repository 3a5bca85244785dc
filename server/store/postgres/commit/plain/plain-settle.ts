/** Settles of a plain commit that fails or releases jobs: locked in its first round trip, written in its second. */
import { WEBHOOK_TYPE } from '../../../../../shared/reserved-types.ts'
import { isTerminal } from '../../../../../shared/status.ts'
import type { ClockTrust } from '../../../clock-trust.ts'
import type { SettleOp } from '../../../decisions/settle-outcome.ts'
import { type FailedJob, failureNotice } from '../../../failure-notice.ts'
import type { Op, OpOf, Outcome } from '../../../ops.ts'
import type { Catalog } from '../../claims/catalog.ts'
import type { Session } from '../../connection/session.ts'
import { Groups } from '../groups/groups.ts'
import type { Ledger } from '../ledger.ts'
import { LiveJobs } from '../live-jobs.ts'
import { outcomeOf } from '../operations.ts'
import { type SettleContext, settle } from '../settle.ts'
import { HasGroups } from './not-plain.ts'

export class PlainSettles {
  readonly outcomes = new Map<Op, Outcome>()
  private readonly ops: readonly SettleOp[]
  private readonly context: SettleContext
  private readonly failed: FailedJob[] = []

  constructor(parts: { session: Session; ledger: Ledger; catalog: Catalog }, ops: readonly SettleOp[]) {
    const { session, ledger, catalog } = parts
    this.ops = ops
    const groups = new Groups(parts)
    const live = new LiveJobs(
      { session, ledger, groups },
      // Jobs of schedules are refused by `decide`.
      { onFailed: (failed) => this.failed.push(failed), onCompleted: () => {} },
    )
    this.context = { session, catalog, live, groups }
  }

  async lock(): Promise<void> {
    await this.context.live.lock(this.ops.map(({ id }) => id))
  }

  /** One that is refused fails alone. */
  async decide(): Promise<void> {
    const grouped = this.jobs().find(({ groupKey, tick }) => groupKey !== null || tick !== null)
    if (grouped) throw new HasGroups(grouped.type)
    for (const op of this.ops) this.outcomes.set(op, await outcomeOf(() => settle(this.context, op)))
  }

  flush(): void {
    this.context.live.flush()
  }

  /** One of the jobs can be claimed again, which the claims of this commit have not seen. */
  get freesJobs(): boolean {
    return this.jobs().some(({ status }) => status === 'pending')
  }

  /** When the first of the jobs becomes due or expires. */
  nextDue(trust: ClockTrust): number | null {
    const instants = this.jobs().flatMap(({ status, runAt, expiresAt }) => {
      if (isTerminal(status) || status === 'processing') return []
      const due = status === 'pending' ? [] : [runAt]
      return trust.isSure && expiresAt !== null ? [...due, expiresAt] : due
    })
    return instants.length > 0 ? Math.min(...instants) : null
  }

  /** The webhook jobs of the failures. null: their type is not known yet. */
  notices(): OpOf<'enqueue'> | null {
    const { catalog } = this.context
    const jobs = this.failed.filter(({ job }) => catalog.hasFailureWebhook(job.type))
    const kind = catalog.type(WEBHOOK_TYPE)?.kind
    if (jobs.length > 0 && kind === undefined) return null
    return { kind: 'enqueue', jobs: kind === undefined ? [] : jobs.map((job) => failureNotice(job, kind)) }
  }

  private jobs() {
    return this.ops.flatMap(({ id }) => this.context.live.find(id) ?? [])
  }
}

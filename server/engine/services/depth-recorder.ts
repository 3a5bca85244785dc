/** The depth recorder: stores the number of jobs of each type once a minute. */
import { MINUTE, SECOND } from '../../../shared/limits.ts'
import type { TypeDepth } from '../../store/ops.ts'
import type { Store } from '../../store/store.ts'
import type { GroupCommit } from '../commit/group-commit.ts'
import { depthsOf, toRecord } from './depths.ts'
import { type Clocks, DueTimer } from './due-timer.ts'
import type { Service } from './service.ts'

/** A minute that ended longer ago is not recorded: its depths are no longer known. */
const LATE_MS = 15 * SECOND
/** Rows per commit; takes a few milliseconds. */
const CHUNK = 500

export class DepthRecorder implements Service {
  private readonly store: Store
  private readonly commits: GroupCommit
  private readonly timer: DueTimer
  /** The minute in which recording began. Earlier minutes were recorded by another leader, or not at all. */
  private since: number | null = null
  private last: { readonly minute: number; readonly depths: ReadonlyMap<string, TypeDepth> } | null = null

  constructor(store: Store, commits: GroupCommit, clocks: Clocks, onError: (error: unknown) => void) {
    this.store = store
    this.commits = commits
    this.timer = new DueTimer(clocks, () => this.run(), onError)
  }

  start(): void {
    if (!this.timer.start()) return
    // Another leader may have recorded minutes in between.
    this.last = null
    this.since = null
    this.timer.armIn(0)
  }

  async stop(): Promise<void> {
    await this.timer.stop()
  }

  /** Returns the end of the current minute. */
  private async run(): Promise<number> {
    const now = await this.store.now()
    const current = Math.floor(now / MINUTE)
    const ended = current - 1
    this.since ??= current
    if (ended >= this.since && ended !== this.last?.minute && now - current * MINUTE <= LATE_MS)
      await this.record(ended)
    return (current + 1) * MINUTE
  }

  private async record(minute: number): Promise<void> {
    const depths = depthsOf(await this.store.counts())
    const before = this.last?.minute === minute - 1 ? this.last.depths : null
    const rows = toRecord(depths, minute, before)
    for (let from = 0; from < rows.length && this.timer.isActive; from += CHUNK) {
      const chunk = rows.slice(from, from + CHUNK)
      await this.commits.submit<'recordDepths'>({ kind: 'recordDepths', minute, depths: chunk })
    }
    this.last = { minute, depths }
  }
}

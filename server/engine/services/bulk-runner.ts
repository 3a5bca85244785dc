/** The bulk runner: reads a chunk of matching jobs, applies it in one commit, and repeats until done. */

import { QueueError } from '../../../shared/errors.ts'
import type { BulkRow } from '../../../shared/records.ts'
import type { Store } from '../../store/store.ts'
import type { GroupCommit } from '../commit/group-commit.ts'
import type { EventLog } from '../events.ts'
import { planBackfill } from '../schedules/plan-backfill.ts'
import { type Clocks, DueTimer } from './due-timer.ts'
import type { Service } from './service.ts'

const CHUNK = 200

export interface BulkRunnerParts {
  readonly store: Store
  readonly commits: GroupCommit
  readonly events: EventLog
  readonly clocks: Clocks
  readonly maxPayloadBytes: number
  readonly onError: (error: unknown) => void
}

export class BulkRunner implements Service {
  private readonly store: Store
  private readonly commits: GroupCommit
  private readonly events: EventLog
  private readonly onError: (error: unknown) => void
  private readonly timer: DueTimer
  private readonly maxPayloadBytes: number
  private stopping = false

  constructor({ store, commits, events, clocks, maxPayloadBytes, onError }: BulkRunnerParts) {
    this.maxPayloadBytes = maxPayloadBytes
    this.store = store
    this.commits = commits
    this.events = events
    this.onError = onError
    this.timer = new DueTimer(clocks, () => this.work(), onError)
  }

  /** Called at every renewal of leadership, so that operations started by other processes are found. */
  start(): void {
    this.stopping = false
    this.timer.start()
    this.check()
  }

  async stop(): Promise<void> {
    this.stopping = true
    await this.timer.stop()
  }

  /** Call when an operation was started, cancelled or undone. */
  check(): void {
    this.timer.armIn(0)
  }

  /** Runs one chunk of each operation in turn; returns when the next waiting one starts. */
  private async work(): Promise<number | null> {
    for (;;) {
      const open = await this.store.openBulks()
      if (open.length === 0) return null
      const now = await this.store.now()
      const ready = open.filter((bulk) => bulk.state !== 'waiting' || bulk.startsAt <= now)
      if (ready.length === 0 || this.stopping) return Math.min(...open.map((bulk) => bulk.startsAt))
      for (const bulk of ready) {
        await this.stepOrEnd(bulk)
        this.events.emit({ kind: 'bulk', at: now, id: bulk.id })
      }
      // Yields to the event loop, so that claims and completions wait for at most one chunk.
      await new Promise(setImmediate)
    }
  }

  /** Cancels an operation that fails, so that it does not block the others. */
  private async stepOrEnd(bulk: BulkRow): Promise<void> {
    try {
      await this.step(bulk)
    } catch (error) {
      const isPermanent = error instanceof QueueError && error.code !== 'BUSY' && error.code !== 'CLOSED'
      if (!isPermanent || bulk.state === 'undoing') throw error
      await this.commits.submit<'bulkCancel'>({ kind: 'bulkCancel', id: bulk.id, actor: 'upkeep' })
      this.onError(error)
    }
  }

  private async step(bulk: BulkRow): Promise<void> {
    if (bulk.state === 'undoing') {
      await this.commits.submit<'bulkRevert'>({ kind: 'bulkRevert', id: bulk.id, limit: CHUNK })
      return
    }
    if (bulk.backfill) {
      const op = await planBackfill(this.store, bulk.id, bulk.cursor, bulk.backfill, this.maxPayloadBytes)
      await this.commits.submit<'backfillApply'>(op)
      return
    }
    const { ids, cursor } = await this.store.match({ filter: bulk.filter, before: bulk.cursor, limit: CHUNK })
    await this.commits.submit<'bulkApply'>({ kind: 'bulkApply', id: bulk.id, from: bulk.cursor, jobs: ids, cursor })
  }
}

/** Bulk operations of this browser tab: started, followed on every page, undone, and resumed after a reload. */
import type { JobFilter } from '../../../shared/contracts/observe.ts'
import { type Client, httpStatusOf } from '../../lib/api.ts'
import { type Action, unavailableReason } from '../../lib/job-actions.ts'
import { createStore } from '../../lib/store.ts'
import { toasts } from '../../lib/toasts.ts'
import type { Frame } from '../frame.ts'
import { type Bulk, canUndo, formatResult, isActive, narrowFilter } from './bulk.ts'
import { WakeSignal } from './bulk-signal.ts'
import { readStoredBulks, type StoredBulk, storeBulks } from './stored-bulks.ts'

/** Fallback for missing frames and failed requests. */
const POLL_EVERY_MS = 2_000

export interface ActiveBulk {
  readonly bulk: Bulk
  /** Number of jobs at the start; null: unknown. */
  readonly total: number | null
}

export class Bulks {
  private readonly active = createStore<readonly ActiveBulk[]>([])
  private readonly signals = new Map<string, WakeSignal>()
  private readonly stored = new Map<string, StoredBulk>()
  /** Server clock minus browser clock. */
  private clockOffsetMs = 0

  readonly get = this.active.get
  readonly subscribe = this.active.subscribe

  /** `total` is the number of matching jobs; null: they could not be counted in time. */
  async start(client: Client, action: Action, filter: JobFilter, total: number | null): Promise<void> {
    const narrowed = narrowFilter(action, filter)
    if (narrowed === null) return void toasts.showError(unavailableReason(action))
    try {
      const bulk = await client.bulk.start.mutate({ action, filter: narrowed })
      this.follow(client, bulk, total)
    } catch (error) {
      toasts.showError(error)
    }
  }

  /** Follows an operation that a page has started. */
  follow(client: Client, bulk: Bulk, total: number | null): void {
    this.put({ bulk, total })
    void this.watch(client, bulk.id)
  }

  async cancel(client: Client, id: string): Promise<void> {
    await client.bulk.cancel.mutate({ id }).catch((error) => toasts.showError(error))
  }

  async undo(client: Client, id: string): Promise<void> {
    try {
      const bulk = await client.bulk.undo.mutate({ id })
      this.put({ bulk, total: bulk.changed })
      this.signals.get(id)?.send()
      void this.watch(client, id)
    } catch (error) {
      toasts.showError(error)
    }
  }

  /** Reads the operations that a frame names. */
  onFrame({ at, bulks: changed, refetch }: Pick<Frame, 'at' | 'bulks' | 'refetch'>): void {
    this.clockOffsetMs = at - Date.now()
    for (const [id, signal] of this.signals) if (refetch || changed.includes(id)) signal.send()
  }

  /** After a reload or a new sign-in: follows operations that were active or could still be undone. */
  resume(client: Client): void {
    const isAnnounced = (id: string) => typeof this.stored.get(id)?.undoUntil === 'number'
    const before = readStoredBulks().filter(({ id }) => !isAnnounced(id))
    for (const one of before) this.stored.set(one.id, one)
    for (const { id } of before) void this.watch(client, id)
  }

  private async watch(client: Client, id: string): Promise<void> {
    if (this.signals.has(id)) return
    const signal = new WakeSignal()
    this.signals.set(id, signal)
    const isFinished = await this.poll(client, id, signal)
    this.signals.delete(id)
    if (isFinished && this.stored.get(id)?.undoUntil === null) this.stored.delete(id)
    this.publish(this.active.get().filter(({ bulk }) => bulk.id !== id))
  }

  /** Polls until the operation ends and announces the result; false: access was lost before. */
  private async poll(client: Client, id: string, signal: WakeSignal): Promise<boolean> {
    for (;;) {
      try {
        const bulk = await client.bulk.status.query({ id })
        if (isActive(bulk)) this.put({ bulk, total: this.stored.get(id)?.total ?? null })
        // A signal during the request may mean an undo, which makes the operation active again.
        else if (!signal.isPending) {
          this.announce(client, bulk)
          return true
        }
      } catch (error) {
        if (isAccessLost(error)) return false
        if (isRefused(error)) {
          toasts.showError(error)
          return true
        }
      }
      await signal.wait(POLL_EVERY_MS)
    }
  }

  private announce(client: Client, bulk: Bulk): void {
    const { id, state, changed } = bulk
    const offeredUntil = this.stored.get(id)?.undoUntil ?? null
    const now = Date.now()
    // The operation may have ended while the page was closed.
    const leftMs = bulk.undoUntil - Math.max(bulk.finishedAt ?? 0, now + this.clockOffsetMs)
    const undoUntil = offeredUntil ?? now + leftMs
    if (canUndo(bulk) && undoUntil > now) {
      this.stored.set(id, { id, total: null, undoUntil })
      const undo = { label: 'Undo', run: () => void this.undo(client, id) }
      toasts.show(formatResult(bulk), { ms: undoUntil - now, undo })
    } else if (offeredUntil !== null) {
      // Announced before the reload.
      this.stored.delete(id)
    } else if (state === 'done' && changed === 0) toasts.showError(formatResult(bulk))
    else toasts.show(formatResult(bulk))
  }

  private put(entry: ActiveBulk): void {
    const { id } = entry.bulk
    const active = this.active.get()
    const isKnown = active.some(({ bulk }) => bulk.id === id)
    this.stored.set(id, { id, total: entry.total, undoUntil: null })
    this.publish(isKnown ? active.map((one) => (one.bulk.id === id ? entry : one)) : [...active, entry])
  }

  private publish(active: readonly ActiveBulk[]): void {
    storeBulks(this.stored.values())
    this.active.set(active)
  }
}

export const bulks = new Bulks()

/** The operation is resumed after the next sign-in. */
function isAccessLost(error: unknown): boolean {
  const status = httpStatusOf(error)
  return status === 401 || status === 403
}

/** A client error does not go away by retrying; a network or server error may. */
function isRefused(error: unknown): boolean {
  const status = httpStatusOf(error)
  return status !== null && status < 500
}

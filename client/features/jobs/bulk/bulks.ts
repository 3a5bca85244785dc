/** The bulk operations of this browser tab: started, followed to their end on whatever page one is, and taken back. */
import type { JobFilter } from '../../../../shared/contracts/observe.ts'
import { httpStatusOf } from '../../../lib/api.ts'
import type { Frame } from '../../../live/frame.ts'
import { toasts } from '../../../ui/toasts.ts'
import { type Act, whyNot } from '../list/actions.ts'
import type { Client } from '../list/read-jobs.ts'
import { type Bulk, canUndo, isOpen, narrowed, said } from './bulk.ts'
import { Bell } from './bulk-signal.ts'
import { type Remembered, remember, remembered } from './remembered.ts'

/** Frames tell sooner; this is for when they do not come, and for looks that failed. */
const LOOK_EVERY_MS = 2_000

export interface Shown {
  readonly bulk: Bulk
  /** How many there were to do at the start; null: not known. */
  readonly total: number | null
}

export class Bulks {
  private readonly listeners = new Set<() => void>()
  private readonly bells = new Map<string, Bell>()
  private readonly kept = new Map<string, Remembered>()
  /** What to add to this browser's clock to get the server's. */
  private clockOffsetMs = 0
  private shown: readonly Shown[] = []

  readonly snapshot = (): readonly Shown[] => this.shown

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => void this.listeners.delete(listener)
  }

  /** `total` is how many jobs it is about; null: they could not be counted in time. */
  async start(client: Client, action: Act, filter: JobFilter, total: number | null): Promise<void> {
    const narrow = narrowed(action, filter)
    if (narrow === null) return void toasts.complain(whyNot(action))
    try {
      const bulk = await client.bulk.start.mutate({ action, filter: narrow })
      this.put({ bulk, total })
      void this.follow(client, bulk.id)
    } catch (error) {
      toasts.complain(error)
    }
  }

  async cancel(client: Client, id: string): Promise<void> {
    await client.bulk.cancel.mutate({ id }).catch((error) => toasts.complain(error))
  }

  async undo(client: Client, id: string): Promise<void> {
    try {
      const bulk = await client.bulk.undo.mutate({ id })
      this.put({ bulk, total: bulk.changed })
      this.bells.get(id)?.ring()
      void this.follow(client, id)
    } catch (error) {
      toasts.complain(error)
    }
  }

  /** A frame was pushed: what it tells of is looked at now. */
  hear({ at, bulks: told, refetch }: Pick<Frame, 'at' | 'bulks' | 'refetch'>): void {
    this.clockOffsetMs = at - Date.now()
    for (const [id, bell] of this.bells) if (refetch || told.includes(id)) bell.ring()
  }

  /** After a reload, or a new sign-in: those that were under way, and those whose undo was still offered. */
  resume(client: Client): void {
    const isTold = (id: string) => typeof this.kept.get(id)?.undoUntil === 'number'
    const before = remembered().filter(({ id }) => !isTold(id))
    for (const one of before) this.kept.set(one.id, one)
    for (const { id } of before) void this.follow(client, id)
  }

  private async follow(client: Client, id: string): Promise<void> {
    if (this.bells.has(id)) return
    const bell = new Bell()
    this.bells.set(id, bell)
    const isOver = await this.watch(client, id, bell)
    this.bells.delete(id)
    this.shown = this.shown.filter(({ bulk }) => bulk.id !== id)
    if (isOver && this.kept.get(id)?.undoUntil === null) this.kept.delete(id)
    this.tell()
  }

  /** Ends when there is nothing more to see, and says what came of it; false: nobody is let in any more. */
  private async watch(client: Client, id: string, bell: Bell): Promise<boolean> {
    for (;;) {
      try {
        const bulk = await client.bulk.status.query({ id })
        if (isOpen(bulk)) this.put({ bulk, total: this.kept.get(id)?.total ?? null })
        // What came while this answer was on its way may have opened it again.
        else if (!bell.hasRung) {
          this.announce(client, bulk)
          return true
        }
      } catch (error) {
        if (isShutOut(error)) return false
        if (isRefusal(error)) {
          toasts.complain(error)
          return true
        }
      }
      await bell.wait(LOOK_EVERY_MS)
    }
  }

  private announce(client: Client, bulk: Bulk): void {
    const { id, state, changed } = bulk
    const offered = this.kept.get(id)?.undoUntil ?? null
    const now = Date.now()
    // It may have ended while nobody looked.
    const leftMs = bulk.undoUntil - Math.max(bulk.finishedAt ?? 0, now + this.clockOffsetMs)
    const undoUntil = offered ?? now + leftMs
    if (canUndo(bulk) && undoUntil > now) {
      this.kept.set(id, { id, total: null, undoUntil })
      const undo = { label: 'Undo', run: () => void this.undo(client, id) }
      toasts.say(said(bulk), { ms: undoUntil - now, undo })
    } else if (offered !== null) {
      // It was told before the reload.
      this.kept.delete(id)
    } else if (state === 'done' && changed === 0) toasts.complain(said(bulk))
    else toasts.say(said(bulk))
  }

  private put(shown: Shown): void {
    const { id } = shown.bulk
    const isKnown = this.shown.some(({ bulk }) => bulk.id === id)
    this.shown = isKnown ? this.shown.map((one) => (one.bulk.id === id ? shown : one)) : [...this.shown, shown]
    this.kept.set(id, { id, total: shown.total, undoUntil: null })
    this.tell()
  }

  private tell(): void {
    remember(this.kept.values())
    for (const listener of this.listeners) listener()
  }
}

export const bulks = new Bulks()

/** By the server, or by the application that has mounted this page: whoever comes back goes on. */
function isShutOut(error: unknown): boolean {
  const status = httpStatusOf(error)
  return status === 401 || status === 403
}

/** The server has said no, which it will say again; a broken line may mend. */
function isRefusal(error: unknown): boolean {
  const status = httpStatusOf(error)
  return status !== null && status < 500
}

/** The bulk operations of this browser tab: started, followed to their end on whatever page one is, and taken back. */
import type { JobFilter } from '../../../shared/contracts/observe.ts'
import { httpStatusOf } from '../../api.ts'
import type { Frame } from '../../live/frame.ts'
import { toasts } from '../../ui/toasts.ts'
import { ACTS, type Act } from '../list/acts.ts'
import type { Client } from '../list/read-jobs.ts'
import { Bell } from './bell.ts'
import { type Bulk, isOpen, narrowed, said } from './bulk.ts'

/** Frames tell sooner; this is for when they do not come, and for looks that failed. */
const LOOK_EVERY_MS = 2_000
const KEY = 'millrace.bulks'

export interface Shown {
  readonly bulk: Bulk
  /** How many there were to do at the start; null: not known. */
  readonly total: number | null
}

export class Bulks {
  private readonly listeners = new Set<() => void>()
  private readonly bells = new Map<string, Bell>()
  private shown: readonly Shown[] = []

  readonly snapshot = (): readonly Shown[] => this.shown

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => void this.listeners.delete(listener)
  }

  async start(client: Client, action: Act, filter: JobFilter): Promise<void> {
    const narrow = narrowed(action, filter)
    if (narrow === null) {
      const { done, statuses } = ACTS[action]
      toasts.complain(`None of these jobs can be ${done}: they would have to be ${statuses.join(' or ')}.`)
      return
    }
    try {
      const total = narrow.ids?.length ?? (await client.list.query({ ...narrow, limit: 1 })).total
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
  hear({ bulks: told, refetch }: Pick<Frame, 'bulks' | 'refetch'>): void {
    for (const [id, bell] of this.bells) if (refetch || told.includes(id)) bell.ring()
  }

  /** After a reload: those that were under way. */
  resume(client: Client): void {
    for (const id of remembered()) void this.follow(client, id)
  }

  private async follow(client: Client, id: string): Promise<void> {
    if (this.bells.has(id)) return
    const bell = new Bell()
    this.bells.set(id, bell)
    await this.watch(client, id, bell)
    this.bells.delete(id)
    this.drop(id)
  }

  /** Ends when there is nothing more to see, and says what came of it. */
  private async watch(client: Client, id: string, bell: Bell): Promise<void> {
    for (;;) {
      try {
        const bulk = await client.bulk.status.query({ id })
        if (isOpen(bulk)) this.put({ bulk, total: this.shown.find((one) => one.bulk.id === id)?.total ?? null })
        // What came while this answer was on its way may have opened it again.
        else if (!bell.hasRung) return this.announce(client, bulk)
      } catch (error) {
        if (isRefusal(error)) return void toasts.complain(error)
      }
      await bell.wait(LOOK_EVERY_MS)
    }
  }

  private announce(client: Client, bulk: Bulk): void {
    const canUndo = bulk.action !== 'remove' && bulk.state !== 'undone' && bulk.changed > 0
    const ms = bulk.undoUntil - (bulk.finishedAt ?? bulk.undoUntil)
    if (canUndo) toasts.say(said(bulk), { ms, undo: { label: 'Undo', run: () => void this.undo(client, bulk.id) } })
    else toasts.say(said(bulk))
  }

  private put(shown: Shown): void {
    const isKnown = this.shown.some(({ bulk }) => bulk.id === shown.bulk.id)
    this.shown = isKnown
      ? this.shown.map((one) => (one.bulk.id === shown.bulk.id ? shown : one))
      : [...this.shown, shown]
    this.tell()
  }

  private drop(id: string): void {
    this.shown = this.shown.filter(({ bulk }) => bulk.id !== id)
    this.tell()
  }

  private tell(): void {
    remember(this.shown.map(({ bulk }) => bulk.id))
    for (const listener of this.listeners) listener()
  }
}

export const bulks = new Bulks()

/** The server has said no, which it will say again; a broken line may mend. */
function isRefusal(error: unknown): boolean {
  const status = httpStatusOf(error)
  return status !== null && status < 500
}

function remember(ids: readonly string[]): void {
  try {
    sessionStorage.setItem(KEY, ids.join(','))
  } catch {
    // Storage may be forbidden: then a reload forgets them, and they go on without being watched.
  }
}

function remembered(): readonly string[] {
  try {
    return (sessionStorage.getItem(KEY) ?? '').split(',').filter((id) => id !== '')
  } catch {
    return []
  }
}

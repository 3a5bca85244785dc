/** The bulk operations of this browser tab: started, followed to their end on whatever page one is, and taken back. */
import type { JobFilter } from '../../../shared/contracts/observe.ts'
import { httpStatusOf } from '../../api.ts'
import { toasts } from '../../ui/toasts.ts'
import { ACTS, type Act } from '../list/acts.ts'
import type { Client } from '../list/read-jobs.ts'
import { type Bulk, isOpen, narrowed, said } from './bulk.ts'

const LOOK_EVERY_MS = 300
/** After a look that failed. */
const LOOK_AGAIN_MS = 2_000
const KEY = 'millrace.bulks'

export interface Shown {
  readonly bulk: Bulk
  /** How many there were to do at the start; null: not known. */
  readonly total: number | null
}

export class Bulks {
  private readonly listeners = new Set<() => void>()
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
      const { total } = await client.list.query({ ...narrow, limit: 1 })
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
      const isFollowed = this.shown.some((one) => one.bulk.id === id)
      this.put({ bulk, total: bulk.changed })
      if (!isFollowed) void this.follow(client, id)
    } catch (error) {
      toasts.complain(error)
    }
  }

  /** After a reload: those that were under way. */
  resume(client: Client): void {
    for (const id of remembered()) {
      if (!this.shown.some(({ bulk }) => bulk.id === id)) void this.follow(client, id)
    }
  }

  private async follow(client: Client, id: string): Promise<void> {
    for (;;) {
      try {
        const bulk = await client.bulk.status.query({ id })
        if (!isOpen(bulk)) {
          this.drop(id)
          this.announce(client, bulk)
          return
        }
        this.put({ bulk, total: this.shown.find((one) => one.bulk.id === id)?.total ?? null })
        await pause(LOOK_EVERY_MS)
      } catch (error) {
        if (isRefusal(error)) {
          this.drop(id)
          toasts.complain(error)
          return
        }
        await pause(LOOK_AGAIN_MS)
      }
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

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
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

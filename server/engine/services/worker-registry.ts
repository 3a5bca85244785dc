/** Notes which workers have been heard of: at most every few seconds each, but at once what they newly say of themselves. */
import type { AboutWorker } from '../../../shared/contracts/work.ts'
import type { Clock } from '../../base/clock.ts'
import type { Op } from '../../store/ops.ts'

const EVERY_MS = 5_000
const MAX_REMEMBERED = 10_000

interface Seen {
  readonly at: number
  /** null: it was only heard of so far. */
  readonly about: AboutWorker | null
}

export class WorkerRegistry {
  private readonly clock: Clock
  private readonly seen = new Map<string, Seen>()

  constructor(clock: Clock) {
    this.clock = clock
  }

  /** The write that is due, if one is: it travels with the claim that caused it. */
  claims(worker: string, types: readonly string[], about: AboutWorker = {}): readonly Op[] {
    const known = this.seen.get(worker)
    if (known && this.isFresh(known) && known.about && isSame(known.about, about)) return []
    this.note(worker, about)
    return [{ kind: 'seeWorker', worker, types, about }]
  }

  /** The same with a heartbeat, which leaves what is known of the worker as it is. */
  beats(worker: string): readonly Op[] {
    const known = this.seen.get(worker)
    if (known && this.isFresh(known)) return []
    this.note(worker, known?.about ?? null)
    return [{ kind: 'seeWorker', worker, types: null }]
  }

  /** The process that a worker says it runs in; undefined: it does not, or it was not heard of here. */
  processOf(worker: string): string | undefined {
    return this.seen.get(worker)?.about?.process
  }

  private isFresh({ at }: Seen): boolean {
    return this.clock.monotonic() - at < EVERY_MS
  }

  private note(worker: string, about: AboutWorker | null): void {
    if (this.seen.size >= MAX_REMEMBERED) this.seen.clear()
    this.seen.set(worker, { at: this.clock.monotonic(), about })
  }
}

function isSame(one: AboutWorker, other: AboutWorker): boolean {
  return one.slots === other.slots && one.version === other.version && one.process === other.process
}

/** The worker registry: writes when a worker was seen, at most every 5 s, and at once when its details change. */
import type { AboutWorker } from '../../../shared/contracts/work.ts'
import type { Clock } from '../../base/clock.ts'
import type { Op } from '../../store/ops.ts'

const EVERY_MS = 5_000
const MAX_REMEMBERED = 10_000

interface Seen {
  readonly at: number
  /** null: only heartbeats so far, which carry no details. */
  readonly about: AboutWorker | null
}

export class WorkerRegistry {
  private readonly clock: Clock
  private readonly seen = new Map<string, Seen>()

  constructor(clock: Clock) {
    this.clock = clock
  }

  /** The operation to commit together with a claim, if a write is due. */
  claims(worker: string, types: readonly string[], about: AboutWorker = {}): readonly Op[] {
    const known = this.seen.get(worker)
    if (known && this.isFresh(known) && known.about && isSame(known.about, about)) return []
    this.note(worker, about)
    return [{ kind: 'seeWorker', worker, types, about }]
  }

  /** The same for a heartbeat, which does not change the details of the worker. */
  beats(worker: string): readonly Op[] {
    const known = this.seen.get(worker)
    if (known && this.isFresh(known)) return []
    this.note(worker, known?.about ?? null)
    return [{ kind: 'seeWorker', worker, types: null }]
  }

  /** The process of a worker; undefined: not reported, or not seen by this engine. */
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

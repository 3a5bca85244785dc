/** What every compared system offers to the measures, through its own client and its own worker. */

/** Separate queues, so that leftovers of the enqueue measures are not in the way of the workers. */
export type Lane = 'enqueue' | 'work'

export const LANES: readonly Lane[] = ['enqueue', 'work']

export interface Session {
  /** Adds one job with the payload of the benchmark; resolves when the system has acknowledged it. */
  enqueue(lane: Lane): Promise<unknown>
  /** Adds many jobs with one call. */
  enqueueMany(lane: Lane, jobs: number): Promise<unknown>
  /** Starts the worker of the system; resolves when it takes jobs. `handle` is the first line of the handler. */
  work(concurrency: number, handle: Handle): Promise<Working>
  /** Jobs per second of one slot, if the worker pauses between jobs: it gets short backlogs. */
  readonly slotRate?: number
  /** Number of stored jobs that are not finished. */
  left(lane: Lane): Promise<number>
  close(): Promise<unknown>
}

export type Handle = (id: string | number) => void

export interface Working {
  /** Resolves when the outcomes of this many jobs of the worker are stored. Called once. */
  finished(jobs: number): Promise<void>
  stop(): Promise<unknown>
}

/** Opens a session on the server or file of the system. */
export type Adapter = (address: string, payload: object) => Promise<Session>

/** Counts outcomes until an expected number, which may be set before or after they arrive. */
export class Countdown {
  private count = 0
  private expected = Number.POSITIVE_INFINITY
  private resolve: () => void = () => {}

  readonly add = (jobs = 1): void => {
    this.count += jobs
    if (this.count >= this.expected) this.resolve()
  }

  reached(jobs: number): Promise<void> {
    this.expected = jobs
    if (this.count >= jobs) return Promise.resolve()
    return new Promise((resolve) => {
      this.resolve = resolve
    })
  }
}

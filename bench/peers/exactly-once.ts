/** Checks of a turn: every job is stored, runs exactly once, and is finished at the end. */
import type { Handle, Lane, Session } from './system.ts'

export class ExactlyOnce {
  private readonly ids = new Set<string | number>()
  private runs = 0

  readonly handle: Handle = (id) => {
    this.runs += 1
    this.ids.add(id)
  }

  /** After the worker has stopped. */
  async check(session: Session, jobs: number): Promise<void> {
    if (this.runs !== jobs || this.ids.size !== jobs) {
      throw new Error(`${jobs} jobs were enqueued, but ${this.ids.size} of them ran, ${this.runs} times in total.`)
    }
    const left = await session.left('work')
    if (left !== 0) throw new Error(`${left} of ${jobs} jobs are not finished although the worker reported them.`)
  }
}

/** Checks that the queue has grown by the number of acknowledged jobs. */
export async function storing<Acknowledged extends { readonly jobs: number }>(
  session: Session,
  lane: Lane,
  enqueue: () => Promise<Acknowledged>,
): Promise<Acknowledged> {
  const before = await session.left(lane)
  const acknowledged = await enqueue()
  const stored = (await session.left(lane)) - before
  const { jobs } = acknowledged
  if (stored !== jobs) throw new Error(`${jobs} jobs were acknowledged, but ${stored} are stored.`)
  return acknowledged
}

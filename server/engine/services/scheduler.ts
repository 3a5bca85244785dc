/** The scheduler: makes scheduled and retrying jobs pending when they are due, and expires waiting jobs. */
import type { Store } from '../../store/store.ts'
import type { GroupCommit } from '../commit/group-commit.ts'
import { type Clocks, DueTimer } from './due-timer.ts'
import type { Service } from './service.ts'

const CHUNK = 1_000

export class Scheduler implements Service {
  private readonly timer: DueTimer

  constructor(store: Store, commits: GroupCommit, clocks: Clocks, onError: (error: unknown) => void) {
    const promote = async () => {
      while (this.timer.isActive && (await commits.submit<'promote'>({ kind: 'promote', limit: CHUNK })).more);
      return (await store.nextDue()).promoteAt
    }
    this.timer = new DueTimer(clocks, promote, onError)
  }

  start(): void {
    if (this.timer.start()) this.timer.armIn(0)
  }

  stop(): Promise<void> {
    return this.timer.stop()
  }

  dueAt(at: number | null): void {
    this.timer.armAt(at)
  }
}

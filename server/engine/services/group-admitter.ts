/** Admission after rules of groups changed: all keys, in small commits between others. */
import type { GroupCommit } from '../commit/group-commit.ts'

/** Keys that one commit looks at. */
export const ADMIT_CHUNK = 500

export class GroupAdmitter {
  private readonly commits: Pick<GroupCommit, 'submit'>
  private readonly onError: (error: unknown) => void
  private running: Promise<void> | null = null
  private isRequested = false
  private isStopped = false

  constructor(commits: Pick<GroupCommit, 'submit'>, onError: (error: unknown) => void) {
    this.commits = commits
    this.onError = onError
  }

  /** Call in the turn that submits the change: the first step then joins its commit. */
  check(): void {
    this.isRequested = true
    if (this.isStopped) return
    this.running ??= this.run()
  }

  /** For good: maintenance finds what is left. */
  async stop(): Promise<void> {
    this.isStopped = true
    await this.running
  }

  private async run(): Promise<void> {
    try {
      while (this.isRequested && !this.isStopped) {
        this.isRequested = false
        await this.pass()
      }
    } catch (error) {
      if (!this.isStopped) this.onError(error)
    } finally {
      this.running = null
    }
  }

  private async pass(): Promise<void> {
    for (let more = true; more && !this.isStopped; ) {
      const step = await this.commits.submit<'admitBlocked'>({ kind: 'admitBlocked', limit: ADMIT_CHUNK })
      more = step.more
      // Yields to the event loop, so that other commits are not delayed.
      if (more) await new Promise(setImmediate)
    }
  }
}

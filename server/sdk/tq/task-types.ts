/** What code has said about types of jobs: remembered before there is a queue, declared to it when there is one. */
import type { TypeSettings } from '../../../shared/settings.ts'
import type { Handler } from '../../worker/jobs/handler.ts'

export interface Task {
  readonly type: string
  /** null: jobs of this type are added here and run elsewhere. */
  handler: Handler | null
  /** null: what `init` says. */
  workerCount: number | null
  settings: Pick<TypeSettings, 'rate' | 'timeoutMs' | 'maxAttempts'>
  isDeclared: boolean
}

export class TaskTypes {
  private readonly tasks = new Map<string, Task>()

  /** Only types that something was said about are known here. */
  get(type: string): Task {
    const known = this.tasks.get(type)
    if (known) return known
    const task: Task = { type, handler: null, workerCount: null, settings: {}, isDeclared: false }
    this.tasks.set(type, task)
    return task
  }

  hasHandler(type: string): boolean {
    return this.handlerOf(type) !== null
  }

  handlerOf(type: string): Handler | null {
    return this.tasks.get(type)?.handler ?? null
  }

  handled(): readonly Task[] {
    return [...this.tasks.values()].filter(({ handler }) => handler !== null)
  }

  undeclared(): readonly Task[] {
    return [...this.tasks.values()].filter(({ isDeclared }) => !isDeclared)
  }

  /** Another queue knows nothing of them. */
  beginAnew(): void {
    for (const task of this.tasks.values()) task.isDeclared = false
  }
}

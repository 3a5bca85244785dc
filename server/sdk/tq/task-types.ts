/** Handlers and settings of task types, kept until they are declared to the queue. */
import type { ScheduleCreateInput } from '../../../shared/contracts/schedules.ts'
import { QueueError } from '../../../shared/errors.ts'
import type { TypeSettings } from '../../../shared/settings/settings.ts'
import type { Handler } from '../../worker/jobs/handler.ts'
import type { GroupKeyOf } from '../jobs/group-key.ts'

export interface Task {
  readonly type: string
  /** null: jobs of this type run in another process. */
  handler: Handler | null
  /** null: the `batchSize` of `init`. */
  workerCount: number | null
  settings: Pick<TypeSettings, 'rate' | 'timeoutMs' | 'maxAttempts' | 'group'>
  /** null: only the option `group` of `add`, or the JSON pointer of the group, gives a key. */
  keyOf: GroupKeyOf<never> | null
  isDeclared: boolean
}

export class TaskTypes {
  private readonly tasks = new Map<string, Task>()
  private readonly schedulesByName = new Map<string, ScheduleCreateInput>()
  /** False when a schedule was added since the last declaration. */
  areSchedulesDeclared = true

  /** Creates the entry on first use. */
  get(type: string): Task {
    const known = this.tasks.get(type)
    if (known) return known
    const task: Task = { type, handler: null, workerCount: null, settings: {}, keyOf: null, isDeclared: false }
    this.tasks.set(type, task)
    return task
  }

  /** A later schedule of the same name and type replaces the earlier one. */
  addSchedule(schedule: ScheduleCreateInput): void {
    const other = this.schedulesByName.get(schedule.name)?.type ?? schedule.type
    if (other !== schedule.type) {
      throw new QueueError(
        'BAD_INPUT',
        `The schedule ${schedule.name} is for ${other} already; give each schedule its own name.`,
      )
    }
    this.schedulesByName.set(schedule.name, schedule)
    this.areSchedulesDeclared = false
  }

  schedules(): readonly ScheduleCreateInput[] {
    return [...this.schedulesByName.values()]
  }

  hasHandler(type: string): boolean {
    return this.handlerOf(type) !== null
  }

  keyOf(type: string): Task['keyOf'] {
    return this.tasks.get(type)?.keyOf ?? null
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

  /** Marks all types as undeclared, for a new queue. */
  resetDeclarations(): void {
    for (const task of this.tasks.values()) task.isDeclared = false
    this.areSchedulesDeclared = this.schedulesByName.size === 0
  }
}

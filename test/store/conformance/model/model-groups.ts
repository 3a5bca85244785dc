/** The groups of the model: rules per group, keys, and what a new job does while its key is full. */
import type { NewJob, OpOf } from '../../../../server/store/ops.ts'
import type { GroupRules, GroupSettings, WhenFull } from '../../../../shared/contracts/groups.ts'
import { finish, type ModelJob } from './model-job.ts'
import type { Expected } from './model-jobs.ts'
import { ModelKey } from './model-key.ts'

const REPLACED = 'Replaced by a newer job of its key'

export class ModelGroups {
  private readonly keys = new Map<string, ModelKey>()
  private readonly declared = new Map<string, GroupSettings>()
  private readonly overrides = new Map<string, GroupRules>()

  declare(type: string, settings: GroupSettings): void {
    this.declared.set(type, settings)
  }

  keyOf({ type, groupName, groupKey }: Pick<NewJob, 'groupKey' | 'groupName' | 'type'>): ModelKey | null {
    return groupKey === null ? null : this.key(groupName ?? type, groupKey)
  }

  private key(name: string, key: string): ModelKey {
    const id = `${name}\n${key}`
    const known = this.keys.get(id)
    if (known) return known
    const made = new ModelKey(() => ({ ...this.declared.get(name), ...this.overrides.get(name) }))
    this.keys.set(id, made)
    return made
  }

  /** A job that is due and has never run. Returns the job that stands for a skipped one. */
  meetFullKey(job: ModelJob, key: ModelKey, whenFull: WhenFull | null, now: number): ModelJob | null {
    if (key.admits(job, now)) return null
    const others = [...key.jobs].filter((other) => other !== job && other.finishedAt === null)
    const policy = whenFull ?? key.whenFull
    if (policy === 'skip') return others.toSorted((a, b) => b.seq - a.seq)[0] ?? null
    for (const other of others) {
      const { status, version } = other
      const hasNotRun = status === 'blocked' || status === 'pending' || (status === 'scheduled' && version === 0)
      if (policy === 'replace' && hasNotRun) finish(other, 'cancelled', REPLACED, now)
      if (policy === 'cancel' && status === 'processing') other.cancelAskedAt ??= now
    }
    return null
  }

  update({ name, key, set, clear, resume }: OpOf<'updateGroup'>): Expected {
    const target = key === null ? null : this.key(name, key)
    const changed: GroupRules = { ...(target ? target.override : this.overrides.get(name)), ...set }
    for (const rule of clear) delete changed[rule]
    if (target) target.changed(changed, resume)
    else this.overrides.set(name, changed)
    return { value: null }
  }

  wakes(): (number | null)[] {
    return [...this.keys.values()].map(({ wakeAt }) => wakeAt)
  }

  begin(): void {
    for (const key of this.keys.values()) key.begin()
  }

  /** Keys that have changed hand their free places on. */
  handOn(now: number): void {
    for (const key of this.keys.values()) key.handOn(now)
  }

  /** Keys whose time has come, too. */
  wake(now: number): void {
    for (const key of this.keys.values()) {
      if (key.wakeAt !== null && key.wakeAt <= now) key.touch()
    }
    this.handOn(now)
  }

  /** Rules have changed. */
  wakeAll(now: number): void {
    for (const key of this.keys.values()) key.touch()
    this.handOn(now)
  }
}

/** Overrides of the rules of a group or a key, with an audit entry. */
import { changedOverride } from '../../../decisions/group-admission.ts'
import type { OpOf } from '../../../ops.ts'
import { encodeOverride, GROUPS_SETTING } from '../../../rows/group-rows.ts'
import type { Catalog } from '../../claims/catalog.ts'
import type { Client } from '../../connection/open.ts'
import type { Control } from '../control.ts'
import type { Groups } from './groups.ts'
import type { Sweep } from './sweep.ts'

export class UpdateGroup {
  private readonly catalog: Catalog
  private readonly control: Control
  private readonly groups: Groups
  private readonly sweep: Sweep
  private readonly writeOverrides
  private readonly deleteOverrides

  constructor(client: Client, parts: { catalog: Catalog; control: Control; groups: Groups; sweep: Sweep }) {
    this.catalog = parts.catalog
    this.control = parts.control
    this.groups = parts.groups
    this.sweep = parts.sweep
    this.writeOverrides = client.prepare(
      `INSERT INTO millrace_settings (key, value, updated_at) VALUES ('${GROUPS_SETTING}', ?, ?)
       ON CONFLICT (key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at`,
    )
    this.deleteOverrides = client.prepare(`DELETE FROM millrace_settings WHERE key = '${GROUPS_SETTING}'`)
  }

  update({ name, key, set, clear, resume, actor }: OpOf<'updateGroup'>, now: number): null {
    if (key === null) this.overrideGroup(name, set, clear, now)
    else {
      const entry = this.groups.touch({ name, key })
      const rules = changedOverride(entry.rules ?? {}, set, clear)
      const override = encodeOverride(rules)
      this.groups.rows.set(entry, { override, rules: override === null ? null : rules })
      if (resume) this.groups.resume(entry)
    }
    const target = key === null ? name : `${name} / ${key}`
    this.control.audit({ actor, action: 'groups.update', target, details: { set, clear, resume } }, now)
    return null
  }

  /** The keys follow in steps of `admitBlocked`. */
  private overrideGroup(
    name: string,
    set: OpOf<'updateGroup'>['set'],
    clear: OpOf<'updateGroup'>['clear'],
    now: number,
  ): void {
    const { [name]: override = {}, ...others } = this.catalog.overriddenGroups()
    const changed = changedOverride(override, set, clear)
    const all = encodeOverride(Object.keys(changed).length === 0 ? others : { ...others, [name]: changed })
    if (all === null) this.deleteOverrides.run()
    else this.writeOverrides.run(all, now)
    this.catalog.changed()
    this.sweep.restart()
  }
}

/** Overrides of group rules by operators: of a whole group in the settings, of one key in its row. */
import type { GroupRules } from '../../../../../shared/contracts/groups.ts'
import { changedOverride } from '../../../decisions/group-admission.ts'
import type { OpOf } from '../../../ops.ts'
import {
  encodeOverride,
  GROUPS_SETTING,
  type GroupOverrides,
  parseGroupOverrides,
  parseKeyRules,
} from '../../../rows/group-rows.ts'
import type { Row } from '../../../rows/tables.ts'
import { clockOr } from '../../connection/clock.ts'
import type { Session } from '../../connection/session.ts'
import type { CommitContext } from '../context.ts'
import type { Control } from '../control.ts'

/** One row for all groups. Locked before anything is decided, and before the instant of the commit is known, so that two operators do not overwrite each other. */
export async function lockGroupRules(session: Session): Promise<void> {
  await session.run(
    'group-rules-create',
    `INSERT INTO millrace_settings (key, value, updated_at) VALUES ($1, '{}', ${clockOr('$2')}) ON CONFLICT DO NOTHING`,
    [GROUPS_SETTING, session.instant],
  )
  await session.rows('group-rules-lock', 'SELECT key FROM millrace_settings WHERE key = $1 FOR UPDATE', [
    GROUPS_SETTING,
  ])
}

export async function updateGroup(
  context: CommitContext,
  control: Control,
  { name, key, set, clear, resume, actor }: OpOf<'updateGroup'>,
): Promise<null> {
  const { groups, session, catalog } = context
  if (key === null) {
    const overrides: Record<string, GroupRules> = { ...(await readOverrides(session)) }
    const changed = changedOverride(overrides[name] ?? {}, set, clear)
    if (encodeOverride(changed) === null) delete overrides[name]
    else overrides[name] = changed
    const all = encodeOverride(overrides)
    if (all === null) {
      await session.run('group-rules-delete', 'DELETE FROM millrace_settings WHERE key = $1', [GROUPS_SETTING])
    } else {
      await session.run(
        'group-rules-write',
        `INSERT INTO millrace_settings (key, value, updated_at) VALUES ($1, $2, $3)
         ON CONFLICT (key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at`,
        [GROUPS_SETTING, all, session.now],
      )
    }
    await catalog.changed(session)
  } else {
    await groups.lock([{ name, key }])
    const row = groups.keyOf({ name, key })
    const changed = changedOverride(parseKeyRules(row.current.override) ?? {}, set, clear)
    groups.override(row, encodeOverride(changed), resume)
  }
  const target = key === null ? name : `${name} / ${key}`
  return control.audit({ actor, action: 'groups.update', target, details: { set, clear, resume } })
}

async function readOverrides(session: Session): Promise<GroupOverrides> {
  const text = 'SELECT value FROM millrace_settings WHERE key = $1'
  const [row] = await session.rows<Row<'settings', 'value'>>('group-rules-read', text, [GROUPS_SETTING])
  return parseGroupOverrides(row?.value)
}

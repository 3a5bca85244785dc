/** The groups whose keys may be paused or stopped, by the stored rules; for the inspection. */
import { DEFAULTS } from '../../../shared/settings/settings.ts'
import { Rules, type StoredRules } from './rules.ts'

export interface GroupNames {
  /** Keys without an override are paused. */
  readonly paused: readonly string[]
  /** A failed job may stop a key. */
  readonly strict: readonly string[]
}

export function groupsToCheck(stored: Pick<StoredRules, 'types' | 'settings'>, names: readonly string[]): GroupNames {
  const rules = new Rules(DEFAULTS)
  rules.load({ ...stored, draining: [] })
  return {
    paused: names.filter((name) => rules.groupRules(name).paused),
    strict: names.filter((name) => rules.groupRules(name).order === 'strict'),
  }
}

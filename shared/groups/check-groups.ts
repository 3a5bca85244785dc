/** Doctor check of groups: keys that a failed job stopped, and paused keys, with blocked jobs. */
import { MINUTE } from '../limits.ts'
import { listWaiting } from '../stats/waiting-jobs.ts'

/** A key that admits no job although it has blocked ones. */
export interface HeldKey {
  readonly name: string
  /** null: the whole group. */
  readonly key: string | null
  readonly blocked: number
  /** When it was stopped, or when the first of its blocked jobs became due. */
  readonly since: number
  readonly reason: 'paused' | 'stopped'
}

export interface GroupsFinding {
  readonly check: 'groups'
  readonly level: 'ok' | 'warn'
  readonly text: string
}

/** Jobs that are blocked for a shorter time are no problem yet. */
export const LONG_HELD_MS = 5 * MINUTE

/** A stop waits for an operator; a pause is deliberate: information, not a warning. */
export function checkGroups(keys: readonly HeldKey[], now: number): readonly GroupsFinding[] {
  const long = keys.filter(({ since }) => since < now - LONG_HELD_MS)
  const findings = [
    finding('stopped', long, now, 'retry or remove the failed job, or run queuectl groups set <group> <key> --resume'),
    finding('paused', long, now, 'resume with queuectl groups set <group> [key] --resume'),
  ].flatMap((one) => one ?? [])
  if (findings.length > 0) return findings
  return [{ check: 'groups', level: 'ok', text: 'no stopped or paused key has had blocked jobs for over 5 min' }]
}

function finding(reason: HeldKey['reason'], keys: readonly HeldKey[], now: number, next: string): GroupsFinding | null {
  const held = keys
    .filter((key) => key.reason === reason)
    .map(({ name, key, blocked, since }) => {
      return { name: key === null ? name : `${name} / ${key}`, ready: blocked, readyMs: now - since }
    })
  if (held.length === 0) return null
  return {
    check: 'groups',
    level: reason === 'stopped' ? 'warn' : 'ok',
    text: `${reason}: ${listWaiting(held)}; ${next}`,
  }
}

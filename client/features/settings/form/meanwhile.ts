/** What somebody else has made of fields while they were edited here, in words for each. */
import type { Draft } from './fields.ts'

export function changedMeanwhile(edited: readonly string[], before: Draft, now: Draft): Draft {
  const changed = edited.filter((key) => before[key] !== undefined && before[key] !== now[key])
  return Object.fromEntries(changed.map((key) => [key, words(now[key] ?? '')]))
}

function words(now: string): string {
  return `Changed meanwhile by somebody else: ${now === '' ? 'no longer set' : `now ${now}`}. Saving goes over it.`
}

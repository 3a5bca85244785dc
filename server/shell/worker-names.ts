/** Names of shell workers: prefix, group id and index, as `build:4f2a9c/1`. */

/** Unique, because a drain is stored by name and must not apply to a later worker. */
export function groupName(given: string, unique: string): string {
  return `${given}:${unique}`
}

export function memberName(group: string, index: number): string {
  return `${group}/${index}`
}

const MEMBER = /^(.+:[0-9a-f]{6})\/\d+$/

/** null: not the name of a shell worker. */
export function groupOf(name: string): string | null {
  return MEMBER.exec(name)?.[1] ?? null
}

/** `build` and `build:4f2a9c` match build:4f2a9c/1. */
export function isNamed(name: string, given: string): boolean {
  return name === given || groupOf(name) === given || groupOf(name)?.slice(0, -7) === given
}

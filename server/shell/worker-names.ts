/** What shell workers are called: `build:4f2a9c/1`, so that they are known by their names, one by one and all together. */

/** Unique: a worker that was drained must not leave that to the next one of its name. */
export function groupName(given: string, unique: string): string {
  return `${given}:${unique}`
}

export function memberName(group: string, index: number): string {
  return `${group}/${index}`
}

const MEMBER = /^(.+:[0-9a-f]{6})\/\d+$/

/** null: no shell worker. */
export function groupOf(name: string): string | null {
  return MEMBER.exec(name)?.[1] ?? null
}

/** `build` means build:4f2a9c/1 and its siblings. */
export function isNamed(name: string, asked: string): boolean {
  return name === asked || groupOf(name) === asked || groupOf(name)?.slice(0, -7) === asked
}

/** Finds text in the names and values of a JSON value. */
import type { Path } from './path.ts'
import { isBranch, stepsOf } from './rows.ts'

/** Nobody steps through more. */
export const MAX_FOUND = 1_000

export function find(value: unknown, words: string): readonly Path[] {
  const wanted = words.toLowerCase()
  const found: Path[] = []
  if (wanted === '') return found
  const has = (text: unknown) => String(text).toLowerCase().includes(wanted)

  function look(one: unknown, path: Path): void {
    if (found.length >= MAX_FOUND) return
    const name = path.at(-1)
    if ((typeof name === 'string' && has(name)) || (!isBranch(one) && has(one))) found.push(path)
    if (isBranch(one)) for (const step of stepsOf(one)) look(Reflect.get(one, step), [...path, step])
  }

  look(value, [])
  return found
}

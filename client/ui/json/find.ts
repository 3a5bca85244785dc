/** Text search in the keys and values of a JSON value. */
import type { Path } from './path.ts'
import { isBranch, stepsOf } from './rows.ts'

export const MAX_FOUND = 1_000

export function find(value: unknown, query: string): readonly Path[] {
  const wanted = query.toLowerCase()
  const found: Path[] = []
  if (wanted === '') return found
  const has = (text: unknown) => String(text).toLowerCase().includes(wanted)

  function visit(one: unknown, path: Path): void {
    if (found.length >= MAX_FOUND) return
    const name = path.at(-1)
    if ((typeof name === 'string' && has(name)) || (!isBranch(one) && has(one))) found.push(path)
    if (isBranch(one)) for (const step of stepsOf(one)) visit(Reflect.get(one, step), [...path, step])
  }

  visit(value, [])
  return found
}

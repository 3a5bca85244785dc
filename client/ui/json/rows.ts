/** Flattens the open part of a JSON value into tree rows, with ranges for long lists and pieces for long texts. */
import { keyOf, type Path, rangeKey, stepKey } from './path.ts'

/** Maximum number of children before they are grouped into ranges of this size. */
const RANGE = 100
/** Longer texts start closed. */
export const LONG_TEXT = 160
const PIECE = 120

export type Scalar = string | number | boolean | null
export type Part =
  | { readonly kind: 'scalar'; readonly value: Scalar }
  | { readonly kind: 'branch'; readonly value: object; readonly size: number; readonly isOpen: boolean }
  | { readonly kind: 'text'; readonly value: string; readonly isOpen: boolean }
  | { readonly kind: 'range'; readonly from: number; readonly to: number; readonly isOpen: boolean }
  | { readonly kind: 'piece'; readonly value: string }

export interface Row {
  readonly key: string
  /** Path of the value that the row belongs to. */
  readonly path: Path
  readonly depth: number
  readonly label: string | number | null
  readonly part: Part
}

export function isBranch(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

export function rowsOf(value: unknown, open: ReadonlySet<string>): readonly Row[] {
  const rows: Row[] = []

  function add(one: unknown, key: string, path: Path, depth: number): void {
    const label = path.at(-1) ?? null
    const isOpen = open.has(key)
    if (isBranch(one)) {
      const steps = stepsOf(one)
      rows.push({ key, path, depth, label, part: { kind: 'branch', value: one, size: steps.length, isOpen } })
      if (isOpen) addChildren(one, steps, { from: 0, to: steps.length }, key, path, depth + 1)
    } else if (typeof one === 'string' && one.length > LONG_TEXT) {
      rows.push({ key, path, depth, label, part: { kind: 'text', value: one, isOpen } })
      if (isOpen) {
        for (const [place, piece] of pieces(one).entries()) {
          rows.push({
            key: `${key}#${place}`,
            path,
            depth: depth + 1,
            label: null,
            part: { kind: 'piece', value: piece },
          })
        }
      }
    } else rows.push({ key, path, depth, label, part: { kind: 'scalar', value: scalar(one) } })
  }

  function addChildren(
    parent: object,
    steps: readonly (string | number)[],
    { from, to }: { readonly from: number; readonly to: number },
    key: string,
    path: Path,
    depth: number,
  ): void {
    const width = rangeWidth(to - from)
    if (width === 1) {
      for (const step of steps.slice(from, to))
        add(Reflect.get(parent, step), stepKey(key, step), [...path, step], depth)
      return
    }
    for (let start = from; start < to; start += width) {
      const range = { from: start, to: Math.min(to, start + width) }
      const own = rangeKey(key, range.from, range.to)
      const isOpen = open.has(own)
      rows.push({ key: own, path, depth, label: null, part: { kind: 'range', ...range, isOpen } })
      if (isOpen) addChildren(parent, steps, range, key, path, depth + 1)
    }
  }

  add(value, '', [], 0)
  return rows
}

/** Keys that must be open to show the value at `path`. */
export function opensTo(value: unknown, path: Path): readonly string[] {
  const keys: string[] = []
  let parent = value
  for (const [depth, step] of path.entries()) {
    if (!isBranch(parent)) break
    const key = keyOf(path.slice(0, depth))
    const steps = stepsOf(parent)
    keys.push(key, ...rangesAround(steps.indexOf(step), steps.length, key))
    parent = Reflect.get(parent, step)
  }
  return keys
}

/** Opens the outermost branches that fit into `budget` rows. */
export function firstOpen(value: unknown, budget: number): ReadonlySet<string> {
  const open = new Set<string>([''])
  const queue: { value: unknown; key: string }[] = [{ value, key: '' }]
  let left = budget
  for (let next = queue.shift(); next; next = queue.shift()) {
    const { value: parent, key } = next
    if (!isBranch(parent)) continue
    const steps = stepsOf(parent)
    const isLong = rangeWidth(steps.length) > 1
    if (key !== '' && (isLong || steps.length > left)) continue
    left -= Math.min(steps.length, RANGE)
    open.add(key)
    if (!isLong) for (const step of steps) queue.push({ value: Reflect.get(parent, step), key: stepKey(key, step) })
  }
  return open
}

export function stepsOf(branch: object): readonly (string | number)[] {
  return Array.isArray(branch) ? Array.from(branch.keys()) : Object.keys(branch)
}

function rangesAround(place: number, count: number, key: string): readonly string[] {
  const keys: string[] = []
  let [from, to] = [0, count]
  for (let width = rangeWidth(to - from); width > 1; width = rangeWidth(to - from)) {
    from += Math.floor((place - from) / width) * width
    to = Math.min(to, from + width)
    keys.push(rangeKey(key, from, to))
  }
  return keys
}

/** Number of children per range; 1 without ranges. */
function rangeWidth(count: number): number {
  let width = 1
  while (count / width > RANGE) width *= RANGE
  return width
}

function pieces(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => {
    const count = Math.max(1, Math.ceil(line.length / PIECE))
    return Array.from({ length: count }, (_, n) => line.slice(n * PIECE, (n + 1) * PIECE))
  })
}

function scalar(value: unknown): Scalar {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null
}

/** One line of a contract: where the document states it, what it promises, and how that is checked here. */
import { existsSync } from 'node:fs'
import { expect } from 'vitest'

interface Stated {
  /** The line of the document. */
  readonly at: number
  readonly promise: string
}

type Check = () => unknown

/** Kept to the letter: checked here, or by a test that has this as its subject. */
export interface Kept extends Stated {
  readonly check: Check | `test/${string}`
}

/** Not kept to the letter: the row of docs/compatibility.md that says so, and what happens instead. */
export interface Deviation extends Stated {
  readonly row: string
  readonly check?: Check | `test/${string}`
}

export type Line = Kept | Deviation

export const kept = (at: number, promise: string, check: Kept['check']): Kept => ({ at, promise, check })

export const differs = (at: number, promise: string, row: string, check?: Deviation['check']): Deviation =>
  check === undefined ? { at, promise, row } : { at, promise, row, check }

/** Walks all lines, in order, and reports those that do not hold. */
export async function walk(lines: readonly Line[]): Promise<void> {
  const broken: string[] = []
  for (const { at, promise, check } of lines) {
    try {
      if (typeof check === 'string') expect(existsSync(check), check).toBe(true)
      else await check?.()
    } catch (error) {
      broken.push(`line ${at}, ${promise}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  expect(broken).toEqual([])
}

export const rowsOf = (lines: readonly Line[]): string[] => lines.flatMap((line) => ('row' in line ? [line.row] : []))

/** One line of a contract: its place in the document, its promise, and its check. */
import { existsSync } from 'node:fs'
import { expect } from 'vitest'

interface Stated {
  /** The line of the document. */
  readonly at: number
  readonly promise: string
}

type Check = () => unknown

/** A promise that is kept exactly: checked here or by the named test file. */
export interface Kept extends Stated {
  readonly check: Check | `test/${string}`
}

/** A promise that is not kept exactly: its row in docs/compatibility.md, and a check of the actual behaviour. */
export interface Deviation extends Stated {
  readonly row: string
  readonly check?: Check | `test/${string}`
}

export type Line = Kept | Deviation

export const kept = (at: number, promise: string, check: Kept['check']): Kept => ({ at, promise, check })

export const differs = (at: number, promise: string, row: string, check?: Deviation['check']): Deviation =>
  check === undefined ? { at, promise, row } : { at, promise, row, check }

/** Checks all lines in order and reports those that fail. */
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

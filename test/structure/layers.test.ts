/** The layer rules hold, and CONTRIBUTING.md shows them. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { table, violations } from '../../scripts/lint/layers.mjs'

describe('layer rules', () => {
  it('allow every import of the sources', () => {
    expect(violations()).toEqual([])
  })

  it('are the table in CONTRIBUTING.md; `node scripts/lint/layers.mjs --table` prints it', () => {
    expect(readFileSync('CONTRIBUTING.md', 'utf8')).toContain(table())
  })
})

/** Size and origin of the files that the first page needs. */
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { shareDashboard } from './support/browser.ts'

const MAX_SCRIPT_BYTES = 200_000

const dashboard = shareDashboard()

it('loads at most 200 kB of compressed script for the first page', () => {
  const page = readFileSync(join(dashboard.folder, 'index.html'), 'utf8')
  const scripts = [...page.matchAll(/(?:src|href)="\.\/(assets\/[^"]+\.js)"/g)].map(([, name = '']) => name)
  expect(scripts.length).toBeGreaterThan(0)
  const bytes = scripts.map((name) => statSync(join(dashboard.folder, `${name}.gz`)).size)
  expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(MAX_SCRIPT_BYTES)
})

it('loads nothing from other servers', () => {
  const page = readFileSync(join(dashboard.folder, 'index.html'), 'utf8')
  expect(page).not.toMatch(/(?:src|href)="(?:https?:)?\/\//)
})

/** Size and origin of the files that the first page needs. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
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

it('loads the cron parser only with the schedules page', () => {
  const assets = join(dashboard.folder, 'assets')
  const scripts = readdirSync(assets).filter((name) => name.endsWith('.js'))
  // Part of the messages of croner.
  const withCron = scripts.filter((name) => readFileSync(join(assets, name), 'utf8').includes('CronPattern'))
  expect(withCron.length).toBe(1)
  expect(withCron[0]).toMatch(/^Schedules-/)
})

it('loads nothing from other servers', () => {
  const page = readFileSync(join(dashboard.folder, 'index.html'), 'utf8')
  expect(page).not.toMatch(/(?:src|href)="(?:https?:)?\/\//)
})

/** Test files named in README.md and docs/ exist. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const PAGES = ['README.md', ...readdirSync(`${ROOT}/docs`).map((name) => `docs/${name}`)].filter((path) =>
  path.endsWith('.md'),
)

it('the test files and folders named in README.md and docs/ exist', () => {
  const named = PAGES.flatMap((page) => {
    const text = readFileSync(`${ROOT}/${page}`, 'utf8')
    return [...text.matchAll(/`(test\/[^`\s]*)`/g)].map(([, path = '']) => ({ page, path }))
  })
  expect(new Set(named.map(({ page }) => page)).size).toBeGreaterThan(3)
  expect(named.length).toBeGreaterThan(20)
  expect(named.filter(({ path }) => !existsSync(`${ROOT}/${path}`))).toEqual([])
})

/** docs/architecture.md names files that exist. */
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const page = readFileSync(`${ROOT}/docs/architecture.md`, 'utf8')

describe('docs/architecture.md', () => {
  it('names only files and folders that exist', () => {
    const paths = [...page.matchAll(/`((?:server|client|shared|drizzle|test|docs)\/[\w./-]*)`/g)].map(
      ([, path = '']) => path,
    )
    expect(paths.length).toBeGreaterThan(20)
    expect(paths.filter((path) => !existsSync(`${ROOT}/${path}`))).toEqual([])
  })

  it('names only files and folders that exist in the picture of the layers', () => {
    const [, picture = ''] = /## Layers\n+```\n([\s\S]*?)```/.exec(page) ?? []
    const boxes = picture.split(/[├┌]─ (server\/\w+) ─+[┤┐]\n/).slice(1)
    expect(boxes).toHaveLength(8)
    const missing: string[] = []
    for (let i = 0; i < boxes.length; i += 2) {
      const [folder = '', text = ''] = [boxes[i], boxes[i + 1]]
      for (const [, name = ''] of text.matchAll(/\b([a-z-]+(?:\/|\.ts))/g)) {
        if (!existsSync(`${ROOT}/${folder}/${name}`)) missing.push(`${folder}/${name}`)
      }
    }
    expect(missing).toEqual([])
  })
})

/** Packaging of queuectl: npm can link it, and `--help` loads only commander. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

const ROOT = new URL('../../', import.meta.url)

/** Packages that a module loads through static imports; type imports and `await import` do not count. */
function packagesLoadedBy(module: URL, seen = new Set<string>()): ReadonlySet<string> {
  const text = readFileSync(module, 'utf8')
  for (const [, names, from = ''] of text.matchAll(/^import (?!type )([^']*? from )?'([^']+)'/gm)) {
    const onlyTypes = /^\{(?:\s*type [^,}]+,?)+\s*\} from $/.test(names ?? '')
    if (onlyTypes || seen.has(from)) continue
    if (!from.startsWith('.')) seen.add(from)
    else if (!seen.has(new URL(from, module).href)) {
      seen.add(new URL(from, module).href)
      packagesLoadedBy(new URL(from, module), seen)
    }
  }
  return new Set([...seen].filter((name) => !/^(?:file|node):/.test(name)))
}

describe('queuectl', () => {
  it('shows its help after loading commander and nothing else', () => {
    expect(packagesLoadedBy(new URL('server/cli/main.ts', ROOT))).toEqual(new Set(['commander']))
  })

  it('is measured by a function that finds loaded packages', () => {
    expect(packagesLoadedBy(new URL('server/base/config/config.ts', ROOT))).toEqual(new Set(['zod']))
    expect(packagesLoadedBy(new URL('server/store/sqlite/connection/open.ts', ROOT))).toContain(
      'drizzle-orm/better-sqlite3',
    )
  })

  it('is a binary of the package', () => {
    const manifest = z.object({ bin: z.object({ queuectl: z.string() }), files: z.array(z.string()) })
    const { bin, files } = manifest.parse(JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8')))
    expect([bin.queuectl, files.some((folder) => bin.queuectl.startsWith(`${folder}/`))]).toEqual([
      'dist/server/cli/main.js',
      true,
    ])
    expect(readFileSync(new URL('server/cli/main.ts', ROOT), 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/)
  })
})

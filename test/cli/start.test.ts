/** What `queuectl` is made of: a program that npm can link, and that loads no database before it needs one. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

const ROOT = new URL('../../', import.meta.url)

/** Packages that a module and all it imports by itself bring along; types and `await import` bring none. */
function packagesBehind(module: URL, seen = new Set<string>()): ReadonlySet<string> {
  const text = readFileSync(module, 'utf8')
  for (const [, names, from = ''] of text.matchAll(/^import (?!type )([^']*? from )?'([^']+)'/gm)) {
    const onlyTypes = /^\{(?:\s*type [^,}]+,?)+\s*\} from $/.test(names ?? '')
    if (onlyTypes || seen.has(from)) continue
    if (!from.startsWith('.')) seen.add(from)
    else if (!seen.has(new URL(from, module).href)) {
      seen.add(new URL(from, module).href)
      packagesBehind(new URL(from, module), seen)
    }
  }
  return new Set([...seen].filter((name) => !/^(?:file|node):/.test(name)))
}

describe('queuectl', () => {
  it('shows its help after loading commander and nothing else', () => {
    expect(packagesBehind(new URL('server/cli/main.ts', ROOT))).toEqual(new Set(['commander']))
  })

  it('finds what is loaded, where something is', () => {
    expect(packagesBehind(new URL('server/base/config/config.ts', ROOT))).toEqual(new Set(['zod']))
    expect(packagesBehind(new URL('server/store/sqlite/connection/open.ts', ROOT))).toContain(
      'drizzle-orm/better-sqlite3',
    )
  })

  it('is a program of the package', () => {
    const manifest = z.object({ bin: z.object({ queuectl: z.string() }), files: z.array(z.string()) })
    const { bin, files } = manifest.parse(JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8')))
    expect([bin.queuectl, files.some((folder) => bin.queuectl.startsWith(`${folder}/`))]).toEqual([
      'dist/server/cli/main.js',
      true,
    ])
    expect(readFileSync(new URL('server/cli/main.ts', ROOT), 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/)
  })
})

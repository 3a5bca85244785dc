/** Files and packages that this package finds at run time, also when its code was bundled into another program's file. */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Undefined in bundles in the format of CommonJS; in others it names the bundle, or this file where the bundle was made. */
function here(): string | undefined {
  return import.meta.url
}

/** From the repository, not from the build. */
export function isSource(): boolean {
  return here()?.endsWith('/server/base/own-files.ts') ?? false
}

/** Part of another program's file. */
export function isBundled(): boolean {
  return !/\/server\/base\/own-files\.[jt]s$/.test(here() ?? '')
}

/** `path` is relative to the root of the build, `server/worker/heartbeats/heartbeat-thread.js`; null where a bundle left it behind. */
export function findOwnFile(path: string): string | null {
  for (const root of roots()) if (existsSync(join(root, path))) return join(root, path)
  return null
}

/** As findOwnFile; throws a sentence that says what to do. */
export function ownFile(path: string, what: string): string {
  const file = findOwnFile(path)
  if (file !== null) return file
  throw new Error(
    `Millrace cannot find ${what}: this program was bundled, and they were left behind. Mark millrace as external in the bundler (esbuild: --external:millrace, Vite: ssr.external, webpack: externals) and install it where the program runs.`,
  )
}

/** Loads a package at once: for modules that bundlers cannot take in, such as native ones. */
export function requirePackage(name: string): unknown {
  let first: unknown
  for (const loader of loaders()) {
    try {
      return loader(name)
    } catch (error) {
      if (!isMissing(error, name)) throw error
      first ??= error
    }
  }
  throw first
}

export function isInstalled(name: string): boolean {
  for (const loader of loaders()) {
    try {
      loader.resolve(name)
      return true
    } catch {
      // Perhaps from the other place.
    }
  }
  return false
}

/** Node found no such package; `error` may be about another one that `name` needs. */
export function isMissing(error: unknown, name: string): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false
  if (error.code !== 'ERR_MODULE_NOT_FOUND' && error.code !== 'MODULE_NOT_FOUND') return false
  return new RegExp(`Cannot find (?:package|module) '${name}(?:/[^']*)?'`).test(error.message)
}

function* roots(): Generator<string> {
  const file = here()
  if (file && !isBundled()) yield fileURLToPath(new URL('../..', file))
  for (const loader of loaders()) {
    try {
      yield join(dirname(loader.resolve('millrace/package.json')), 'dist')
    } catch {
      // Not installed there.
    }
  }
}

/** As if from this file, then as if from the folder of the program. */
function* loaders(): Generator<NodeJS.Require> {
  // Not imported, and not named require: webpack would put its own in their place.
  const { createRequire } = process.getBuiltinModule('node:module')
  const file = here()
  if (file?.startsWith('file:')) yield createRequire(file)
  yield createRequire(join(process.cwd(), 'program.js'))
}

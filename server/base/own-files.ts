/** Locates files and packages of Millrace at run time, also from inside a bundle. */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Undefined in CommonJS bundles. In ESM bundles it is the bundle, or this file at build time. */
function here(): string | undefined {
  const url: string | undefined = import.meta.url
  // Loaders such as tsImport and development servers add a query.
  return url?.replace(/[?#].*/, '')
}

/** The code runs from the repository, not from the build. */
export function isSource(): boolean {
  return here()?.endsWith('/server/base/own-files.ts') ?? false
}

/** The code is part of a bundle. */
export function isBundled(): boolean {
  return !/\/server\/base\/own-files\.[jt]s$/.test(here() ?? '')
}

/** `path` is relative to the root of the build (`server/sdk/heartbeat-thread.js`); null: missing in a bundle. */
export function findOwnFile(path: string): string | null {
  for (const root of roots()) if (existsSync(join(root, path))) return join(root, path)
  return null
}

/** As `findOwnFile`, but throws an error with advice. */
export function ownFile(path: string, what: string): string {
  const file = findOwnFile(path)
  if (file !== null) return file
  throw new Error(
    `Millrace cannot find ${what}: this program was bundled without them. Mark millrace as external in the bundler (esbuild: --external:millrace, Vite: ssr.external, webpack: externals) and install it where the program runs.`,
  )
}

/** Loads a package synchronously, for modules that cannot be bundled, such as native ones. */
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
      // Try the next loader.
    }
  }
  return false
}

/** Whether `name` itself is missing; `error` may be about one of its dependencies. */
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

/** Resolves from this file, then from the working directory. */
function* loaders(): Generator<NodeJS.Require> {
  // Neither imported nor named `require`: webpack would replace both.
  const { createRequire } = process.getBuiltinModule('node:module')
  const file = here()
  if (file?.startsWith('file:')) yield createRequire(file)
  yield createRequire(join(process.cwd(), 'program.js'))
}

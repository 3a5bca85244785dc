/** Loads the compared queues from bench/peers, where they are installed on demand. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { z } from 'zod'

/** Folder in the repository, not in the build. */
const PEERS = resolve('bench/peers')
const require = createRequire(resolve(PEERS, 'package.json'))

export async function loadPeer(name: string): Promise<unknown> {
  try {
    return await import(pathToFileURL(entryOf(name)).href)
  } catch (error) {
    const how = 'install it with `node scripts/prepare.mjs --peers`, or run `npm run bench:peers`, which does'
    throw new Error(`${name} cannot be loaded from bench/peers; ${how}.`, { cause: error })
  }
}

export function versionOf(name: string): string {
  return manifestOf(name).version
}

const manifest = z.object({ version: z.string(), main: z.string().optional(), exports: z.unknown().optional() })

function manifestOf(name: string): z.infer<typeof manifest> {
  return manifest.parse(JSON.parse(readFileSync(resolve(PEERS, 'node_modules', name, 'package.json'), 'utf8')))
}

/** `require.resolve` rejects packages that have only an entry for `import`. */
function entryOf(name: string): string {
  const { main, exports } = manifestOf(name)
  const entry = typeof exports === 'string' ? exports : main
  return entry === undefined ? require.resolve(name) : resolve(PEERS, 'node_modules', name, entry)
}

/** A function or class of a peer, typed by the part that is used. */
export function callable<Type>(): z.ZodType<Type> {
  return z.custom<Type>((value) => typeof value === 'function')
}

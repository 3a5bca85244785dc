/** Loads the compared queues from bench/peers, where they are installed on demand. */
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { z } from 'zod'

/** Folder in the repository, not in the build. */
const require = createRequire(resolve('bench/peers/package.json'))

export function loadPeer(name: string): { readonly exports: unknown; readonly version: string } {
  try {
    const { version } = z.object({ version: z.string() }).parse(require(`${name}/package.json`))
    return { exports: require(name), version }
  } catch (error) {
    const how = 'install it with `node scripts/prepare.mjs --peers`, or run `npm run bench:postgres`, which does'
    throw new Error(`There is no ${name} in bench/peers; ${how}.`, { cause: error })
  }
}

/** A function or class of a peer, typed by the part that is used. */
export function callable<Type>(): z.ZodType<Type> {
  return z.custom<Type>((value) => typeof value === 'function')
}

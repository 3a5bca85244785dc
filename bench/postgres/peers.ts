/** The queues to compare with: packages of bench/peers, which are there only when somebody measures. */
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { z } from 'zod'

/** Of the repository, not of the build that runs. */
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

/** A function or a class of a peer, described by the little of it that is used. */
export function callable<Type>(): z.ZodType<Type> {
  return z.custom<Type>((value) => typeof value === 'function')
}

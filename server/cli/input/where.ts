/** Selects the queue: from --url, else the environment, else the default file. */
import { resolve } from 'node:path'
import { type Config, type Environment, readConfig } from '../../base/config/config.ts'
import { MILLRACE_URL } from '../../base/config/environment.ts'
import { usageError } from '../exit-codes.ts'
import { withoutPassword } from '../output/format.ts'

export interface WhereFlags {
  readonly url?: string
  readonly token?: string
}

export type Where =
  | { readonly kind: 'server'; readonly url: string; readonly shown: string; readonly token: string | undefined }
  | {
      readonly kind: 'sqlite'
      readonly url: string
      readonly shown: string
      readonly file: string
      readonly config: Config
    }
  | { readonly kind: 'postgres'; readonly url: string; readonly shown: string; readonly config: Config }

export function findQueue(flags: WhereFlags, env: Environment): Where {
  const given = flags.url ?? (env[MILLRACE_URL]?.trim() || undefined)
  if (given !== undefined && /^https?:/.test(given)) {
    if (!URL.canParse(given)) throw usageError(`${given} is not a server address; use one like http://127.0.0.1:3000.`)
    const token = flags.token ?? (env.AUTH_TOKEN?.trim() || undefined)
    return { kind: 'server', url: given, shown: withoutPassword(given), token }
  }
  const config = readConfig(env)
  const url = given === undefined ? config.url : withScheme(given)
  if (/^postgres(?:ql)?:/.test(url)) {
    const shown = withoutPassword(url).replace(/\?.*/, '')
    return { kind: 'postgres', url, shown, config: { ...config, url } }
  }
  const file = /^sqlite:(?:\/\/)?(.+)$/.exec(url)?.[1]
  if (file === undefined) {
    const known = 'sqlite:./data/queue.db, postgres://user@host/database or http://127.0.0.1:3000'
    throw usageError(`Cannot open ${url.replace(/:.*/s, ':…')}; use an address like ${known}.`)
  }
  if (file === ':memory:')
    throw usageError('An in-memory queue ends with its process; use a file, PostgreSQL or a server.')
  return { kind: 'sqlite', url, shown: file, file: resolve(file), config: { ...config, url } }
}

/** A bare path is a SQLite file. */
function withScheme(given: string): string {
  return /^[a-z][a-z\d+.-]+:/i.test(given) ? given : `sqlite:${given}`
}

/** The environment a server reads: process variables over a `.env` file, with misspelt settings pointed out. */
import { existsSync, readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { nearest } from '../../../shared/nearest.ts'
import { ConfigError, ENGINE_SETTINGS, type Environment } from './config.ts'
import { SERVER_SETTINGS } from './server-config.ts'

/** Read by queuectl alone: the server that it talks to. */
export const MILLRACE_URL = 'MILLRACE_URL'

const SETTINGS = [...ENGINE_SETTINGS, ...SERVER_SETTINGS, MILLRACE_URL]

/** The prefix of names that can only be ours. */
const OURS = 'MILLRACE_'

/** What the process was given wins over the file. Throws a ConfigError when a name looks like a misspelt setting. */
export function loadEnvironment(file: string, processVariables: Environment): Environment {
  const fromFile: Environment = existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {}
  const env = { ...fromFile, ...processVariables }
  for (const name of Object.keys(env)) refuseMisspelt(name, env, name in fromFile ? file : null)
  return env
}

/** Most names belong to others, in the process and in an application's `.env` too: only what can hardly be anything else is refused. */
function refuseMisspelt(name: string, env: Environment, file: string | null): void {
  if (SETTINGS.includes(name)) return
  const where = file === null ? `${name} is` : `${file} sets ${name}, which is`
  const meant = meantBy(name, file !== null)
  if (meant && !env[meant]) throw new ConfigError(`${where} not a setting; did you mean ${meant}?`)
  if (name.startsWith(OURS)) throw new ConfigError(`${where} not a setting; see .env.example for all there are.`)
}

function meantBy(name: string, isInFile: boolean): string | undefined {
  const found = nearest(name, SETTINGS, name.length < 10 ? 1 : 2)
  // Names as short as PORT are too close to others' variables, and typing errors spare the first letter: OAUTH_TOKEN is no AUTH_TOKEN.
  if (found && found.length > 5 && found[0] === name[0]) return found
  const swapped = SETTINGS.find((setting) => lettersOf(setting) === lettersOf(name))
  return swapped && (isInFile || swapped.length > 5) ? swapped : undefined
}

function lettersOf(name: string): string {
  return [...name].sort().join('')
}

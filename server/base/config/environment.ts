/** Environment of a server: `.env` file and process variables, with a check for misspelt names. */
import { existsSync, readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { nearest } from '../../../shared/json/nearest.ts'
import { ConfigError, ENGINE_SETTINGS, type Environment } from './config.ts'
import { SERVER_SETTINGS } from './server-config.ts'

/** Address of the server for queuectl; not read by the server. */
export const MILLRACE_URL = 'MILLRACE_URL'

const SETTINGS = [...ENGINE_SETTINGS, ...SERVER_SETTINGS, MILLRACE_URL]

/** Prefix of names that belong to Millrace. */
const PREFIX = 'MILLRACE_'

/** Process variables override the file. Throws a ConfigError when a name looks like a misspelt setting. */
export function loadEnvironment(file: string, processVariables: Environment): Environment {
  const fromFile: Environment = existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {}
  const env = { ...fromFile, ...processVariables }
  for (const name of Object.keys(env)) refuseMisspelt(name, env, name in fromFile ? file : null)
  return env
}

/** Most variables belong to other programs, so only close matches are rejected. */
function refuseMisspelt(name: string, env: Environment, file: string | null): void {
  if (SETTINGS.includes(name)) return
  const where = file === null ? `${name} is` : `${file} sets ${name}, which is`
  const suggestion = findSuggestion(name, file !== null)
  if (suggestion && !env[suggestion]) throw new ConfigError(`${where} not a setting; did you mean ${suggestion}?`)
  if (name.startsWith(PREFIX)) throw new ConfigError(`${where} not a setting; see .env.example for all settings.`)
}

function findSuggestion(name: string, isInFile: boolean): string | undefined {
  const found = nearest(name, SETTINGS, name.length < 10 ? 1 : 2)
  // Short names such as PORT are close to unrelated variables. Typing errors rarely affect the first letter (OAUTH_TOKEN).
  if (found && found.length > 5 && found[0] === name[0]) return found
  const swapped = SETTINGS.find((setting) => lettersOf(setting) === lettersOf(name))
  return swapped && (isInFile || swapped.length > 5) ? swapped : undefined
}

function lettersOf(name: string): string {
  return [...name].sort().join('')
}

/** The environment a server reads: process variables over a `.env` file, with misspelt settings pointed out. */
import { existsSync, readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { nearest } from '../shared/nearest.ts'
import { ConfigError, ENGINE_SETTINGS, type Environment } from './config.ts'
import { SERVER_SETTINGS } from './server-config.ts'

/** Read by queuectl alone: the server that it talks to. */
export const MILLRACE_URL = 'MILLRACE_URL'

const SETTINGS = [...ENGINE_SETTINGS, ...SERVER_SETTINGS, MILLRACE_URL]

/** What the process was given wins over the file. Throws a ConfigError when a name looks like a misspelt setting. */
export function loadEnvironment(file: string, processVariables: Environment): Environment {
  const fromFile: Environment = existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {}
  for (const name of Object.keys(fromFile)) refuseUnknown(name, file)
  const env = { ...fromFile, ...processVariables }
  for (const name of Object.keys(env)) refuseMisspelt(name, env)
  return env
}

/** Everything in the file is meant for this server, so every name in it must mean something. */
function refuseUnknown(name: string, file: string): void {
  if (SETTINGS.includes(name) || name.startsWith('NODE_')) return
  const meant = nearest(name, SETTINGS, name.length < 6 ? 2 : 3)
  const advice = meant ? `did you mean ${meant}?` : 'see .env.example for all there are.'
  throw new ConfigError(`${file} sets ${name}, which is not a setting; ${advice}`)
}

/** The process has many variables of others: only what can hardly be anything else is refused. */
function refuseMisspelt(name: string, env: Environment): void {
  if (SETTINGS.includes(name)) return
  const meant = nearest(name, SETTINGS, name.length < 10 ? 1 : 2)
  // Names as short as PORT are too close to others' variables.
  if (meant && meant.length > 5 && !env[meant])
    throw new ConfigError(`${name} is not a setting; did you mean ${meant}?`)
}

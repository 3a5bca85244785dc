/** `config check`: what the environment says, where each setting comes from, and what is wrong. */
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { DAY, MINUTE } from '../../../../shared/limits.ts'
import { type Config, ConfigError, type Environment, readConfig } from '../../../base/config/config.ts'
import { loadEnvironment, MILLRACE_URL } from '../../../base/config/environment.ts'
import { needsTokens, readServerConfig, refuseOpenDoor, type ServerConfig } from '../../../base/config/server-config.ts'
import type { Cli } from '../../cli.ts'
import { EXIT, messageOf } from '../../exit-codes.ts'
import type { Where } from '../../input/where.ts'
import { bytes, withoutPassword } from '../../output/format.ts'
import { type Column, table } from '../../output/table.ts'

interface Setting {
  readonly name: string
  readonly value: string
  readonly from: string
  readonly meaning: string
}

interface Known {
  readonly value: (config: Config, server: ServerConfig, env: Environment) => string
  readonly meaning: string
}

const NONE = '–'
const orNone = (value: string | number | null | undefined) => ((value ?? '') === '' ? NONE : String(value))

const KNOWN: Readonly<Record<string, Known>> = {
  [MILLRACE_URL]: { value: (_, __, env) => orNone(env[MILLRACE_URL]), meaning: 'the server that queuectl talks to' },
  DATABASE_URL: { value: (config) => withoutPassword(config.url), meaning: 'the database (from DB_PATH when not set)' },
  DB_PATH: { value: (_, __, env) => orNone(env.DB_PATH ?? './data/queue.db'), meaning: 'the SQLite file' },
  DURABILITY: { value: ({ durability }) => durability, meaning: 'full survives power loss, normal may lose moments' },
  MAX_DATABASE_BYTES: {
    value: ({ maxDatabaseBytes }) => (maxDatabaseBytes === null ? NONE : bytes(maxDatabaseBytes)),
    meaning: 'largest SQLite file',
  },
  HOST: { value: (_, { host }) => host || 'every address', meaning: 'where the server listens' },
  PORT: { value: (_, { port }) => String(port), meaning: 'and on which port' },
  LISTEN_ADDR: { value: (_, __, env) => orNone(env.LISTEN_ADDR), meaning: 'both in one word' },
  BASE_PATH: { value: (_, { basePath }) => basePath || '/', meaning: 'the part of a site it answers under' },
  AUTH_TOKEN: {
    value: (_, { authToken }) => (authToken === null ? NONE : 'set'),
    meaning: 'the token callers must send',
  },
  ALLOW_IPS: { value: (_, __, env) => orNone(env.ALLOW_IPS), meaning: 'who else is served without a token' },
  ALLOWED_HOSTS: { value: (_, { allowedHosts }) => orNone(allowedHosts.join(',')), meaning: 'names it answers to' },
  CORS_ORIGINS: {
    value: (_, { corsOrigins }) => orNone(corsOrigins.join(',')),
    meaning: 'pages of other origins that may call, with a token',
  },
  TRUSTED_PROXIES: {
    value: (_, __, env) => orNone(env.TRUSTED_PROXIES),
    meaning: 'proxies that are believed whom they speak for',
  },
  COMMANDS_WITHOUT_TOKEN: {
    value: (_, { commandsWithoutToken }) => (commandsWithoutToken ? 'allow' : 'refuse'),
    meaning: 'commands and new tokens from callers without a token',
  },
  TLS_CERT: { value: (_, __, env) => orNone(env.TLS_CERT), meaning: 'certificate of HTTPS, a PEM file' },
  TLS_KEY: { value: (_, __, env) => orNone(env.TLS_KEY), meaning: 'its key, a PEM file' },
  MAX_BODY_BYTES: { value: (_, { maxBodyBytes }) => bytes(maxBodyBytes), meaning: 'largest request' },
  GET_LIMIT_DEFAULT: {
    value: (_, { getLimitDefault }) => String(getLimitDefault),
    meaning: 'messages that a GET of /v1/messages takes',
  },
  GET_LIMIT_MAX: { value: (_, { getLimitMax }) => String(getLimitMax), meaning: 'and at most' },
  MAX_PAYLOAD_BYTES: { value: ({ maxPayloadBytes }) => bytes(maxPayloadBytes), meaning: 'largest payload of a job' },
  BACKUP_FOLDER: { value: (_, { backupFolder }) => orNone(backupFolder), meaning: 'where the server may put backups' },
  LOG_LEVEL: { value: (_, { logLevel }) => logLevel, meaning: 'what the server logs' },
  MAX_ATTEMPTS: { value: ({ defaults }) => String(defaults.maxAttempts), meaning: 'tries of a job' },
  JOB_TIMEOUT_MINUTES: {
    value: ({ defaults }) => String(defaults.leaseMs / MINUTE),
    meaning: 'how long a claim lasts that names no time',
  },
  CLEANUP_AFTER_DAYS: {
    value: ({ defaults }) => String(defaults.retentionMs / DAY),
    meaning: 'how long finished jobs are kept',
  },
  BACKOFF_KIND: { value: ({ defaults }) => defaults.backoff.kind, meaning: 'how waits between tries grow' },
  BACKOFF_BASE_MS: { value: ({ defaults }) => String(defaults.backoff.baseMs), meaning: 'the first wait' },
  BACKOFF_FACTOR: {
    value: ({ defaults: { backoff } }) => (backoff.kind === 'exponential' ? String(backoff.factor) : NONE),
    meaning: 'its growth',
  },
  BACKOFF_CAP_MS: {
    value: ({ defaults: { backoff } }) => (backoff.kind === 'fixed' ? NONE : String(backoff.capMs)),
    meaning: 'the longest wait',
  },
  BACKOFF_JITTER: { value: ({ defaults }) => String(defaults.backoff.jitter), meaning: 'its random share' },
}

export async function checkConfig(cli: Cli): Promise<void> {
  const variables = await cli.io.environment()
  const file = cli.io.envFile
  const fromFile: Environment = existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {}
  try {
    const env = loadEnvironment(file, variables)
    const config = readConfig(env)
    const server = readServerConfig(env)
    const where = await cli.where()
    if (needsTokens(server)) refuseOpenDoor(server, await hasTokens(cli, where))
    const source = (name: string) => (variables[name] ? 'environment' : fromFile[name] ? file : 'default')
    const rows = Object.entries(KNOWN).map(([name, { value, meaning }]) => ({
      name,
      value: value(config, server, env),
      from: source(name),
      meaning,
    }))
    if (cli.isJson) for (const { meaning: _, ...row } of rows) cli.printJson(row)
    else cli.print(...table(columnsOf(), rows, await cli.tableOptions()))
    const place = where.kind === 'sqlite' ? resolve(where.file) : where.shown
    cli.say(`All of it can be used. queuectl works on ${place}.`)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    cli.say(error.message)
    cli.exitCode = EXIT.failed
  }
}

/** Only the database knows. */
async function hasTokens(cli: Cli, where: Where): Promise<boolean> {
  if (where.kind === 'server' || (where.kind === 'sqlite' && !existsSync(where.file))) return false
  let count = 0
  try {
    await cli.withQueue(async (queue) => {
      count = (await queue.tokens()).length
    })
  } catch (error) {
    cli.say(`Nobody knows whether there are tokens: ${messageOf(error)}`)
  }
  return count > 0
}

function columnsOf(): readonly Column<Setting>[] {
  return [
    { title: 'SETTING', cell: ({ name }) => name },
    { title: 'VALUE', cell: ({ value }) => value },
    { title: 'FROM', cell: ({ from }) => from },
    { title: 'MEANING', cell: ({ meaning }) => meaning },
  ]
}

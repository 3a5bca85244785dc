/** `config check`: shows and validates the settings of the environment and `.env`. */
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { DAY, MINUTE } from '../../../../shared/limits.ts'
import { type Config, ConfigError, type Environment, readConfig } from '../../../base/config/config.ts'
import { loadEnvironment, MILLRACE_URL } from '../../../base/config/environment.ts'
import {
  needsTokens,
  readServerConfig,
  refuseUnprotected,
  type ServerConfig,
} from '../../../base/config/server-config.ts'
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

interface KnownSetting {
  readonly value: (config: Config, server: ServerConfig, env: Environment) => string
  readonly meaning: string
}

const NONE = '–'
const orNone = (value: string | number | null | undefined) => ((value ?? '') === '' ? NONE : String(value))

const KNOWN: Readonly<Record<string, KnownSetting>> = {
  [MILLRACE_URL]: { value: (_, __, env) => orNone(env[MILLRACE_URL]), meaning: 'queue that queuectl uses' },
  DATABASE_URL: { value: (config) => withoutPassword(config.url), meaning: 'database (default: DB_PATH)' },
  DB_PATH: { value: (_, __, env) => orNone(env.DB_PATH ?? './data/queue.db'), meaning: 'SQLite file' },
  DURABILITY: {
    value: ({ durability }) => durability,
    meaning: 'full survives power loss; normal may lose the last moments',
  },
  MAX_DATABASE_BYTES: {
    value: ({ maxDatabaseBytes }) => (maxDatabaseBytes === null ? NONE : bytes(maxDatabaseBytes)),
    meaning: 'maximum size of the SQLite file',
  },
  HOST: { value: (_, { host }) => host || 'every address', meaning: 'address to listen on' },
  PORT: { value: (_, { port }) => String(port), meaning: 'port to listen on' },
  LISTEN_ADDR: { value: (_, __, env) => orNone(env.LISTEN_ADDR), meaning: 'host and port in one value' },
  BASE_PATH: { value: (_, { basePath }) => basePath || '/', meaning: 'URL path prefix of the server' },
  AUTH_TOKEN: {
    value: (_, { authToken }) => (authToken === null ? NONE : 'set'),
    meaning: 'token that clients must send',
  },
  ALLOW_IPS: { value: (_, __, env) => orNone(env.ALLOW_IPS), meaning: 'addresses that need no token' },
  ALLOWED_HOSTS: { value: (_, { allowedHosts }) => orNone(allowedHosts.join(',')), meaning: 'accepted Host headers' },
  CORS_ORIGINS: {
    value: (_, { corsOrigins }) => orNone(corsOrigins.join(',')),
    meaning: 'other web origins that may call the API with a token',
  },
  TRUSTED_PROXIES: {
    value: (_, __, env) => orNone(env.TRUSTED_PROXIES),
    meaning: 'proxies whose X-Forwarded-For is trusted',
  },
  COMMANDS_WITHOUT_TOKEN: {
    value: (_, { commandsWithoutToken }) => (commandsWithoutToken ? 'allow' : 'refuse'),
    meaning: 'whether clients without a token may enqueue commands and create tokens',
  },
  TLS_CERT: { value: (_, __, env) => orNone(env.TLS_CERT), meaning: 'HTTPS certificate (PEM file)' },
  TLS_KEY: { value: (_, __, env) => orNone(env.TLS_KEY), meaning: 'HTTPS private key (PEM file)' },
  MAX_BODY_BYTES: { value: (_, { maxBodyBytes }) => bytes(maxBodyBytes), meaning: 'maximum size of a request' },
  DIRECT_TRPC: {
    value: (_, { directTrpc }) => (directTrpc ? 'on' : 'off'),
    meaning: 'plain tRPC calls skip Express',
  },
  GET_LIMIT_DEFAULT: {
    value: (_, { getLimitDefault }) => String(getLimitDefault),
    meaning: 'messages per GET /v1/messages (default)',
  },
  GET_LIMIT_MAX: {
    value: (_, { getLimitMax }) => String(getLimitMax),
    meaning: 'messages per GET /v1/messages (maximum)',
  },
  MAX_PAYLOAD_BYTES: { value: ({ maxPayloadBytes }) => bytes(maxPayloadBytes), meaning: 'maximum size of a payload' },
  BACKUP_FOLDER: {
    value: (_, { backupFolder }) => orNone(backupFolder),
    meaning: 'folder for backups made by the server',
  },
  LOG_LEVEL: { value: (_, { logLevel }) => logLevel, meaning: 'log level of the server' },
  MAX_ATTEMPTS: { value: ({ defaults }) => String(defaults.maxAttempts), meaning: 'attempts per job' },
  JOB_TIMEOUT_MINUTES: {
    value: ({ defaults }) => String(defaults.leaseMs / MINUTE),
    meaning: 'default lease of a claim',
  },
  CLEANUP_AFTER_DAYS: {
    value: ({ defaults }) => String(defaults.retentionMs / DAY),
    meaning: 'how long finished jobs are kept',
  },
  BACKOFF_KIND: { value: ({ defaults }) => defaults.backoff.kind, meaning: 'how the delay between attempts grows' },
  BACKOFF_BASE_MS: { value: ({ defaults }) => String(defaults.backoff.baseMs), meaning: 'first delay' },
  BACKOFF_FACTOR: {
    value: ({ defaults: { backoff } }) => (backoff.kind === 'exponential' ? String(backoff.factor) : NONE),
    meaning: 'growth factor',
  },
  BACKOFF_CAP_MS: {
    value: ({ defaults: { backoff } }) => (backoff.kind === 'fixed' ? NONE : String(backoff.capMs)),
    meaning: 'longest delay',
  },
  BACKOFF_JITTER: { value: ({ defaults }) => String(defaults.backoff.jitter), meaning: 'random share of the delay' },
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
    if (needsTokens(server)) refuseUnprotected(server, await hasTokens(cli, where))
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
    cli.info(`All settings are valid. queuectl uses ${place}.`)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    cli.info(error.message)
    cli.exitCode = EXIT.failed
  }
}

/** Tokens are stored in the database, so it has to be opened. */
async function hasTokens(cli: Cli, where: Where): Promise<boolean> {
  if (where.kind === 'server' || (where.kind === 'sqlite' && !existsSync(where.file))) return false
  let count = 0
  try {
    await cli.withQueue(async (queue) => {
      count = (await queue.tokens()).length
    })
  } catch (error) {
    cli.info(`Could not check for tokens: ${messageOf(error)}`)
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

/** Settings of the HTTP server: where it listens, who may come in, how much they may send. */
import { readFileSync } from 'node:fs'
import { BlockList, isIP } from 'node:net'
import { createSecureContext } from 'node:tls'
import { z } from 'zod'
import { limits } from '../../../shared/limits.ts'
import { ConfigError, type Environment, oneOf, parseSettings, whole } from './config.ts'

const LOG_LEVELS = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const

const HOST_NAME = /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::\d{1,5})?$|^[0-9a-f:]+$/i

const BASE_PATH = /^(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)+\/?$|^\/$/

export const serverSettings = z.object({
  HOST: z.string().optional(),
  PORT: whole(0, 65_535).optional(),
  LISTEN_ADDR: z
    .string()
    .regex(/^(?:\[[0-9a-fA-F:.]+\]|[^:\s]*):\d{1,5}$/, 'must look like 127.0.0.1:3000, [::1]:3000 or :3000')
    .optional(),
  AUTH_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]+$/, 'must be printable ASCII characters without spaces')
    .optional(),
  ALLOW_IPS: list().optional(),
  ALLOWED_HOSTS: list()
    .refine(
      (names) => names.every((name) => HOST_NAME.test(name)),
      'must be names like queue.internal or queue.internal:8443, without a scheme',
    )
    .optional(),
  CORS_ORIGINS: list()
    .refine((origins) => origins.every(isOrigin), 'must be origins like https://app.example or http://localhost:5173')
    .optional(),
  TRUSTED_PROXIES: list().optional(),
  COMMANDS_WITHOUT_TOKEN: oneOf(['refuse', 'allow']).default('refuse'),
  TLS_CERT: z.string().optional(),
  TLS_KEY: z.string().optional(),
  BASE_PATH: z.string().regex(BASE_PATH, 'must look like /queue').default('/'),
  MAX_BODY_BYTES: whole(1_024, 256 * 1024 * 1024).default(limits.bodyBytes),
  BACKUP_FOLDER: z.string().optional(),
  GET_LIMIT_DEFAULT: whole(1, limits.messages).default(1),
  GET_LIMIT_MAX: whole(1, limits.messages).default(100),
  LOG_LEVEL: oneOf(LOG_LEVELS).default('info'),
})

export const SERVER_SETTINGS: readonly string[] = Object.keys(serverSettings.shape)

export interface ServerConfig {
  readonly host: string
  readonly port: number
  readonly authToken: string | null
  /** Peers besides this machine that are served without a token. */
  readonly allowIps: BlockList | null
  /** Names, besides its own addresses, that the server answers to, some with a port. */
  readonly allowedHosts: readonly string[]
  /** Pages of other origins that may call, with a token of their own. */
  readonly corsOrigins: readonly string[]
  /** Whose word counts about whom they speak for. */
  readonly trustedProxies: BlockList | null
  /** Callers whom their address lets in may enqueue commands, which run as the user of their worker. */
  readonly commandsWithoutToken: boolean
  /** PEM; null: plain HTTP. */
  readonly tls: { readonly cert: string; readonly key: string } | null
  /** Without a trailing slash: '' or '/queue'. */
  readonly basePath: string
  readonly maxBodyBytes: number
  /** Where backups may be made; null: nowhere. */
  readonly backupFolder: string | null
  /** How many messages a GET of /v1/messages takes: when it does not say, and at most. */
  readonly getLimitDefault: number
  readonly getLimitMax: number
  readonly logLevel: (typeof LOG_LEVELS)[number]
}

export function readServerConfig(env: Environment): ServerConfig {
  const given = parseSettings(serverSettings, env)
  const { host, port } = readAddress(given)
  if (given.GET_LIMIT_DEFAULT > given.GET_LIMIT_MAX) {
    throw new ConfigError('Cannot use GET_LIMIT_DEFAULT above GET_LIMIT_MAX; lower the one or raise the other.')
  }
  return {
    host,
    port,
    authToken: given.AUTH_TOKEN ?? null,
    allowIps: readBlockList('ALLOW_IPS', given.ALLOW_IPS),
    allowedHosts: (given.ALLOWED_HOSTS ?? []).map((name) => name.toLowerCase()),
    corsOrigins: given.CORS_ORIGINS ?? [],
    trustedProxies: readBlockList('TRUSTED_PROXIES', given.TRUSTED_PROXIES),
    commandsWithoutToken: given.COMMANDS_WITHOUT_TOKEN === 'allow',
    tls: readTls(given.TLS_CERT, given.TLS_KEY),
    basePath: readBasePath(given.BASE_PATH),
    maxBodyBytes: given.MAX_BODY_BYTES,
    backupFolder: given.BACKUP_FOLDER ?? null,
    getLimitDefault: given.GET_LIMIT_DEFAULT,
    getLimitMax: given.GET_LIMIT_MAX,
    logLevel: given.LOG_LEVEL,
  }
}

/** Others can reach it, and nothing but a token in the database would keep them out. */
export function needsTokens({ host, authToken, allowIps }: ServerConfig): boolean {
  return authToken === null && allowIps === null && !isLoopbackName(host)
}

/** Whether there are tokens only the database knows. */
export function refuseOpenDoor(config: ServerConfig, hasTokens: boolean): void {
  if (hasTokens || !needsTokens(config)) return
  const { host } = config
  throw new ConfigError(
    `Listening on ${host === '' ? 'every address' : host} would let anyone in. ` +
      'Set AUTH_TOKEN to a secret, or ALLOW_IPS to who may come, or HOST=127.0.0.1, or make a token: queuectl token create.',
  )
}

function isLoopbackName(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host)
}

function list() {
  return z.string().transform((text) =>
    text
      .split(',')
      .map((one) => one.trim())
      .filter((one) => one !== ''),
  )
}

function readAddress(given: z.output<typeof serverSettings>): { host: string; port: number } {
  const { HOST, PORT, LISTEN_ADDR } = given
  if (LISTEN_ADDR === undefined) return { host: plain(HOST ?? '127.0.0.1'), port: PORT ?? 3_000 }
  if (HOST !== undefined || PORT !== undefined) {
    throw new ConfigError('Cannot use LISTEN_ADDR beside HOST and PORT; keep one way of saying it.')
  }
  const cut = LISTEN_ADDR.lastIndexOf(':')
  const port = Number(LISTEN_ADDR.slice(cut + 1))
  if (port > 65_535) throw new ConfigError(`Cannot use LISTEN_ADDR=${LISTEN_ADDR}: the port must be at most 65535.`)
  return { host: plain(LISTEN_ADDR.slice(0, cut)), port }
}

/** [::1] is how an address stands before a port, and names know no capitals. */
function plain(host: string): string {
  return host.replace(/^\[|\]$/g, '').toLowerCase()
}

/** As browsers write it: no path, no slash at the end, no port that goes without saying. */
function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text
}

function readTls(certFile: string | undefined, keyFile: string | undefined): ServerConfig['tls'] {
  if (certFile === undefined && keyFile === undefined) return null
  if (certFile === undefined || keyFile === undefined) {
    const [one, other] = certFile === undefined ? ['TLS_KEY', 'TLS_CERT'] : ['TLS_CERT', 'TLS_KEY']
    throw new ConfigError(`Cannot use ${one} without ${other}; HTTPS needs both.`)
  }
  const tls = { cert: readPem('TLS_CERT', certFile), key: readPem('TLS_KEY', keyFile) }
  try {
    createSecureContext(tls)
  } catch {
    // What OpenSSL says names its own source files, not what to do.
    throw new ConfigError(
      `Cannot use TLS_CERT=${certFile} with TLS_KEY=${keyFile}: they must be a certificate and its own key, both as PEM.`,
    )
  }
  return tls
}

function readPem(name: string, file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable'
    throw new ConfigError(`Cannot read ${name}=${file} (${reason}); check the path and its rights.`)
  }
}

/** Where browsers see the server or a mounted dashboard, without a slash at the end. */
export function readBasePath(path: string, name = 'basePath'): string {
  if (path !== '' && !BASE_PATH.test(path))
    throw new ConfigError(`Cannot use ${name}=${path}: it must look like /queue.`)
  return path.replace(/\/$/, '')
}

/** null: nobody. `name` is what to call the setting when an entry makes no sense. */
export function readBlockList(name: string, entries: readonly string[] = []): BlockList | null {
  if (entries.length === 0) return null
  const allowed = new BlockList()
  for (const entry of entries) {
    const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(entry) ?? []
    const family = isIP(address)
    const longest = family === 4 ? 32 : 128
    const prefix = bits === undefined ? longest : Number(bits)
    if (family === 0 || prefix > longest) {
      throw new ConfigError(`Cannot use ${name}=${entries.join(',')}: ${entry} must look like 10.0.0.7 or 10.0.0.0/8.`)
    }
    allowed.addSubnet(address, prefix, family === 4 ? 'ipv4' : 'ipv6')
  }
  return allowed
}

/** Server settings from environment variables: address, access, TLS, size limits. */
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
  DIRECT_TRPC: oneOf(['on', 'off']).default('on'),
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
  /** Addresses besides this machine that need no token. */
  readonly allowIps: BlockList | null
  /** Accepted Host headers besides the server's own addresses, with an optional port. */
  readonly allowedHosts: readonly string[]
  /** Other origins whose pages may call the API with a token. */
  readonly corsOrigins: readonly string[]
  /** Proxies whose X-Forwarded-For header is trusted. */
  readonly trustedProxies: BlockList | null
  /** Callers without a token may enqueue commands, which run as the user of their worker. */
  readonly commandsWithoutToken: boolean
  /** PEM; null: plain HTTP. */
  readonly tls: { readonly cert: string; readonly key: string } | null
  /** Without a trailing slash: '' or '/queue'. */
  readonly basePath: string
  readonly maxBodyBytes: number
  /** Plain tRPC calls skip Express and tRPC's own adapter. */
  readonly directTrpc: boolean
  /** Folder for backups; null: backups are disabled. */
  readonly backupFolder: string | null
  /** Default and maximum number of messages of GET /v1/messages. */
  readonly getLimitDefault: number
  readonly getLimitMax: number
  readonly logLevel: (typeof LOG_LEVELS)[number]
}

export function readServerConfig(env: Environment): ServerConfig {
  const settings = parseSettings(serverSettings, env)
  const { host, port } = readAddress(settings)
  if (settings.GET_LIMIT_DEFAULT > settings.GET_LIMIT_MAX) {
    throw new ConfigError('GET_LIMIT_DEFAULT is above GET_LIMIT_MAX; lower the first or raise the second.')
  }
  return {
    host,
    port,
    authToken: settings.AUTH_TOKEN ?? null,
    allowIps: readBlockList('ALLOW_IPS', settings.ALLOW_IPS),
    allowedHosts: (settings.ALLOWED_HOSTS ?? []).map((name) => name.toLowerCase()),
    corsOrigins: settings.CORS_ORIGINS ?? [],
    trustedProxies: readBlockList('TRUSTED_PROXIES', settings.TRUSTED_PROXIES),
    commandsWithoutToken: settings.COMMANDS_WITHOUT_TOKEN === 'allow',
    tls: readTls(settings.TLS_CERT, settings.TLS_KEY),
    basePath: readBasePath(settings.BASE_PATH),
    maxBodyBytes: settings.MAX_BODY_BYTES,
    directTrpc: settings.DIRECT_TRPC === 'on',
    backupFolder: settings.BACKUP_FOLDER ?? null,
    getLimitDefault: settings.GET_LIMIT_DEFAULT,
    getLimitMax: settings.GET_LIMIT_MAX,
    logLevel: settings.LOG_LEVEL,
  }
}

/** The server is reachable from other machines and protected only by tokens in the database, if there are any. */
export function needsTokens({ host, authToken, allowIps }: ServerConfig): boolean {
  return authToken === null && allowIps === null && !isLoopbackName(host)
}

/** `hasTokens`: the database contains API tokens. */
export function refuseUnprotected(config: ServerConfig, hasTokens: boolean): void {
  if (hasTokens || !needsTokens(config)) return
  const { host } = config
  throw new ConfigError(
    `Listening on ${host === '' ? 'every address' : host} without authentication would give anyone full access. ` +
      'Set AUTH_TOKEN to a secret, set ALLOW_IPS to the allowed addresses, set HOST=127.0.0.1, or create a token: queuectl token create.',
  )
}

function isLoopbackName(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host)
}

function list() {
  return z.string().transform((text) =>
    text
      .split(',')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== ''),
  )
}

function readAddress(settings: z.output<typeof serverSettings>): { host: string; port: number } {
  const { HOST, PORT, LISTEN_ADDR } = settings
  if (LISTEN_ADDR === undefined) return { host: plain(HOST ?? '127.0.0.1'), port: PORT ?? 3_000 }
  if (HOST !== undefined || PORT !== undefined) {
    throw new ConfigError('LISTEN_ADDR is set together with HOST or PORT; keep one of them.')
  }
  const cut = LISTEN_ADDR.lastIndexOf(':')
  const port = Number(LISTEN_ADDR.slice(cut + 1))
  if (port > 65_535) throw new ConfigError(`Invalid LISTEN_ADDR=${LISTEN_ADDR}: the port must be at most 65535.`)
  return { host: plain(LISTEN_ADDR.slice(0, cut)), port }
}

/** Removes the brackets of an IPv6 address; host names are case-insensitive. */
function plain(host: string): string {
  return host.replace(/^\[|\]$/g, '').toLowerCase()
}

/** An origin as browsers send it: no path, no trailing slash, no default port. */
function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text
}

function readTls(certFile: string | undefined, keyFile: string | undefined): ServerConfig['tls'] {
  if (certFile === undefined && keyFile === undefined) return null
  if (certFile === undefined || keyFile === undefined) {
    const [given, other] = certFile === undefined ? ['TLS_KEY', 'TLS_CERT'] : ['TLS_CERT', 'TLS_KEY']
    throw new ConfigError(`${given} is set without ${other}; HTTPS needs both.`)
  }
  const tls = { cert: readPem('TLS_CERT', certFile), key: readPem('TLS_KEY', keyFile) }
  try {
    createSecureContext(tls)
  } catch {
    // OpenSSL's message names its source files and gives no advice.
    throw new ConfigError(
      `TLS_CERT=${certFile} and TLS_KEY=${keyFile} do not match; give a certificate and its own key, both as PEM.`,
    )
  }
  return tls
}

function readPem(name: string, file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable'
    throw new ConfigError(`Cannot read ${name}=${file} (${reason}); check the path and its permissions.`)
  }
}

/** URL path of the server or of a mounted dashboard, without a trailing slash. */
export function readBasePath(path: string, name = 'basePath'): string {
  if (path !== '' && !BASE_PATH.test(path)) throw new ConfigError(`Invalid ${name}=${path}: it must look like /queue.`)
  return path.replace(/\/$/, '')
}

/** null: no entries. `name` is the setting in the error message. */
export function readBlockList(name: string, entries: readonly string[] = []): BlockList | null {
  if (entries.length === 0) return null
  const allowed = new BlockList()
  for (const entry of entries) {
    const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(entry) ?? []
    const family = isIP(address)
    const longest = family === 4 ? 32 : 128
    const prefix = bits === undefined ? longest : Number(bits)
    if (family === 0 || prefix > longest) {
      throw new ConfigError(`Invalid ${name}=${entries.join(',')}: ${entry} must look like 10.0.0.7 or 10.0.0.0/8.`)
    }
    allowed.addSubnet(address, prefix, family === 4 ? 'ipv4' : 'ipv6')
  }
  return allowed
}

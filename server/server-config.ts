/** Settings of the HTTP server: where it listens, who may come in, how much they may send. */
import { BlockList, isIP } from 'node:net'
import { z } from 'zod'
import { limits } from '../shared/limits.ts'
import { ConfigError, type Environment, oneOf, parseSettings, whole } from './config.ts'

const LOG_LEVELS = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const

const HOST_NAME = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$|^[0-9a-f:]+$/i

const settings = z.object({
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
      'must be names like queue.internal, without port or scheme',
    )
    .optional(),
  BASE_PATH: z
    .string()
    .regex(/^(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)+\/?$|^\/$/, 'must look like /queue')
    .default('/'),
  MAX_BODY_BYTES: whole(1_024, 256 * 1024 * 1024).default(limits.bodyBytes),
  LOG_LEVEL: oneOf(LOG_LEVELS).default('info'),
})

export const SERVER_SETTINGS: readonly string[] = Object.keys(settings.shape)

export interface ServerConfig {
  readonly host: string
  readonly port: number
  readonly authToken: string | null
  /** Peers besides this machine that are served without a token. */
  readonly allowIps: BlockList | null
  /** Names, besides its own addresses, that the server answers to. */
  readonly allowedHosts: readonly string[]
  /** Without a trailing slash: '' or '/queue'. */
  readonly basePath: string
  readonly maxBodyBytes: number
  readonly logLevel: (typeof LOG_LEVELS)[number]
}

export function readServerConfig(env: Environment): ServerConfig {
  const given = parseSettings(settings, env)
  const { host, port } = readAddress(given)
  const config: ServerConfig = {
    host,
    port,
    authToken: given.AUTH_TOKEN ?? null,
    allowIps: given.ALLOW_IPS && given.ALLOW_IPS.length > 0 ? readBlockList(given.ALLOW_IPS) : null,
    allowedHosts: (given.ALLOWED_HOSTS ?? []).map((name) => name.toLowerCase()),
    basePath: given.BASE_PATH.replace(/\/$/, ''),
    maxBodyBytes: given.MAX_BODY_BYTES,
    logLevel: given.LOG_LEVEL,
  }
  if (!config.authToken && !config.allowIps && !isLoopbackName(host)) {
    throw new ConfigError(
      `Listening on ${host === '' ? 'every address' : host} would let anyone in. ` +
        'Set AUTH_TOKEN to a secret, or ALLOW_IPS to who may come, or HOST=127.0.0.1.',
    )
  }
  return config
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

function readAddress(given: z.output<typeof settings>): { host: string; port: number } {
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

function readBlockList(entries: readonly string[]): BlockList {
  const allowed = new BlockList()
  for (const entry of entries) {
    const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(entry) ?? []
    const family = isIP(address)
    const longest = family === 4 ? 32 : 128
    const prefix = bits === undefined ? longest : Number(bits)
    if (family === 0 || prefix > longest) {
      throw new ConfigError(
        `Cannot use ALLOW_IPS=${entries.join(',')}: ${entry} must look like 10.0.0.7 or 10.0.0.0/8.`,
      )
    }
    allowed.addSubnet(address, prefix, family === 4 ? 'ipv4' : 'ipv6')
  }
  return allowed
}

/** Start-up text of the server: addresses, database, access and a first command. */
import type { AddressInfo } from 'node:net'
import type { StoreFacts } from '../../shared/records.ts'
import type { ServerConfig } from '../base/config/server-config.ts'
import { VERSION } from '../base/version.ts'

const FIRST_JOB = `{"type":"hello","payload":{"name":"world"}}`

export interface WelcomeOptions {
  readonly address: AddressInfo
  readonly facts: StoreFacts
  readonly requiresToken: boolean
}

export function welcome(
  { address, facts, requiresToken }: WelcomeOptions,
  config: ServerConfig,
  hasPage: boolean,
): string {
  const url = `${config.tls ? 'https' : 'http'}://${urlHost(address)}:${address.port}${config.basePath}`
  const secret = config.authToken === null ? '$MILLRACE_TOKEN' : '$AUTH_TOKEN'
  const token = requiresToken ? ` -H "authorization: Bearer ${secret}"` : ''
  return [
    '',
    `  Millrace ${VERSION} is running`,
    '',
    `  Dashboard   ${hasPage ? `${url}/` : 'http://localhost:5173/ (development)'}`,
    `  API         ${url}/trpc`,
    `  Database    ${facts.location} (${DIALECTS[facts.dialect]} ${facts.version})`,
    `  Durability  ${DURABILITIES[facts.durability]}`,
    `  Open to     ${openTo(config, requiresToken)}`,
    '',
    '  Enqueue a first job and watch it arrive in the dashboard:',
    '',
    `    curl ${url}/trpc/enqueue -H 'content-type: application/json'${token} -d '${FIRST_JOB}'`,
    '',
    '  Ctrl-C stops the server. Its log follows.',
    '',
    '',
  ].join('\n')
}

const DIALECTS = { sqlite: 'SQLite', postgres: 'PostgreSQL' }
const DURABILITIES = {
  full: 'full: acknowledged jobs survive power loss',
  normal: 'normal: power loss may lose the most recent jobs (DURABILITY=full prevents it)',
}

function openTo({ allowIps }: ServerConfig, requiresToken: boolean): string {
  if (requiresToken)
    return allowIps ? 'clients with a token, and ALLOW_IPS without one on /api/queue' : 'clients with a token'
  return allowIps ? 'this machine and ALLOW_IPS, without a token' : 'this machine only, without a token'
}

/** Replaces the wildcard address by one that works in a URL. */
function urlHost({ address, family }: AddressInfo): string {
  if (address === '0.0.0.0' || address === '::') return '127.0.0.1'
  return family === 'IPv6' ? `[${address}]` : address
}

/** What a person sees when the server is up: where it is, where its data is, and what to type first. */
import type { AddressInfo } from 'node:net'
import type { ServerConfig } from '../base/config/server-config.ts'
import { VERSION } from '../base/version.ts'
import type { StoreFacts } from '../store/records.ts'

const FIRST_JOB = `{"type":"hello","payload":{"name":"world"}}`

export interface Welcomed {
  readonly address: AddressInfo
  readonly facts: StoreFacts
  readonly asksForToken: boolean
}

export function welcome({ address, facts, asksForToken }: Welcomed, config: ServerConfig, hasPage: boolean): string {
  const url = `${config.tls ? 'https' : 'http'}://${urlHost(address)}:${address.port}${config.basePath}`
  const secret = config.authToken === null ? '$MILLRACE_TOKEN' : '$AUTH_TOKEN'
  const token = asksForToken ? ` -H "authorization: Bearer ${secret}"` : ''
  return [
    '',
    `  Millrace ${VERSION} is running`,
    '',
    `  Dashboard   ${hasPage ? `${url}/` : 'http://localhost:5173/ (development)'}`,
    `  API         ${url}/trpc`,
    `  Database    ${facts.location} (${DIALECTS[facts.dialect]} ${facts.version})`,
    `  Durability  ${DURABILITIES[facts.durability]}`,
    `  Open to     ${openTo(config, asksForToken)}`,
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
  full: 'full: what is acknowledged survives power loss',
  normal: 'normal: power loss may take the last moments (DURABILITY=full prevents it)',
}

function openTo({ authToken, allowIps }: ServerConfig, asksForToken: boolean): string {
  if (asksForToken) return authToken === null ? 'whoever has a token' : 'whoever has the token'
  return allowIps ? 'this machine and ALLOW_IPS, without a token' : 'this machine only, without a token'
}

/** An address that means "all of them" is no address to type. */
function urlHost({ address, family }: AddressInfo): string {
  if (address === '0.0.0.0' || address === '::') return '127.0.0.1'
  return family === 'IPv6' ? `[${address}]` : address
}

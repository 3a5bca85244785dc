/** Error messages for PostgreSQL servers that cannot be used. */
import { codeOf, mayBecomeAvailable, reasonOf } from './postgres-errors.ts'

/** The server is not reachable now; waiting may help. */
export class ServerUnavailable extends Error {
  override readonly name = 'ServerUnavailable'
  readonly place: string
  readonly reason: string

  constructor(place: string, cause: unknown) {
    const reason = reasonOf(cause)
    super(`PostgreSQL at ${place} cannot be reached (${reason}); start it, or check DATABASE_URL.`, { cause })
    this.place = place
    this.reason = reason
  }
}

/** Codes of Node's TLS: the certificate of the server was not accepted. */
const UNTRUSTED = /^(?:ERR_TLS|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/

/** Translates an error of opening the database. */
export function toOpenError(error: unknown, url: string): Error {
  const place = placeOf(url)
  if (mayBecomeAvailable(error)) return new ServerUnavailable(place, error)
  return new Error(describe(error, place, roleOf(url)), { cause: error })
}

function describe(error: unknown, place: string, role: string): string {
  const code = codeOf(error) ?? ''
  const reason = reasonOf(error)
  if (code.startsWith('28')) {
    return `PostgreSQL at ${place} rejected the login (${reason}); check user and password in DATABASE_URL.`
  }
  if (code === '3D000') return `The database does not exist (${reason}); create it, or check DATABASE_URL.`
  if (code === '42501') return `The role lacks a privilege that the queue needs (${reason}); ${grantFor(reason, role)}`
  if (code === '42P07') {
    return `The schema already has other tables with these names (${reason}); create a separate schema for the queue: CREATE SCHEMA millrace AUTHORIZATION ${role}, then ALTER ROLE ${role} SET search_path = millrace.`
  }
  if (UNTRUSTED.test(code)) {
    return `The certificate of PostgreSQL at ${place} is not trusted (${reason}); set its CA certificate with sslrootcert=… in DATABASE_URL.`
  }
  if (/does not support SSL/.test(reason)) {
    return `PostgreSQL at ${place} does not support TLS; remove sslmode from DATABASE_URL, or set ssl = on at the server.`
  }
  return `PostgreSQL at ${place} cannot be used (${reason}); check DATABASE_URL.`
}

/** The missing privilege is named in the server's message, which may be localised. The last one is needed for a new queue. */
function grantFor(reason: string, role: string): string {
  const schema = /schema "?([^\s"]+)"?$/.exec(reason)?.[1]
  if (/must be owner/.test(reason)) {
    return `only the owner of the tables may upgrade them: start the server once as that role.`
  }
  if (/table|sequence|relation/.test(reason)) {
    return `grant access to the tables: GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA … TO ${role}, and GRANT USAGE ON ALL SEQUENCES IN SCHEMA … TO ${role}.`
  }
  return `allow it to create tables: GRANT USAGE, CREATE ON SCHEMA ${schema ?? '…'} TO ${role}.`
}

function roleOf(url: string): string {
  const name = URL.canParse(url) ? decodeURIComponent(new URL(url).username) : ''
  if (name === '') return '…'
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`
}

/** Without user and password, so that it can be logged. */
function placeOf(url: string): string {
  const { host, pathname } = URL.canParse(url) ? new URL(url) : { host: '', pathname: '' }
  return `${host || 'its socket'}${pathname}`
}

/** Why a PostgreSQL cannot be used, in one line that says what to do. */
import { codeOf, mayComeUp, reasonOf } from './postgres-errors.ts'

/** A server that may be there soon, or was there a moment ago. */
export class NotThereYet extends Error {
  override readonly name = 'NotThereYet'
  readonly place: string
  readonly reason: string

  constructor(place: string, cause: unknown) {
    const reason = reasonOf(cause)
    super(`PostgreSQL at ${place} cannot be reached (${reason}); start it, or check DATABASE_URL.`, { cause })
    this.place = place
    this.reason = reason
  }
}

/** Codes of Node's TLS: who answered could not prove who it is. */
const UNTRUSTED = /^(?:ERR_TLS|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/

/** An error on the way to a usable database, for whoever started the server. */
export function whyNot(error: unknown, url: string): Error {
  const place = placeOf(url)
  if (mayComeUp(error)) return new NotThereYet(place, error)
  return new Error(whyRefused(error, place, roleOf(url)), { cause: error })
}

function whyRefused(error: unknown, place: string, role: string): string {
  const code = codeOf(error) ?? ''
  const reason = reasonOf(error)
  if (code.startsWith('28')) {
    return `PostgreSQL at ${place} does not let this user in (${reason}); check user and password in DATABASE_URL.`
  }
  if (code === '3D000') return `PostgreSQL has no such database (${reason}); create it, or check DATABASE_URL.`
  if (code === '42501') return `This role may not do what the queue needs (${reason}); ${rightFor(reason, role)}`
  if (code === '42P07') {
    return `This schema has other tables of the same names (${reason}); give the queue a schema of its own: CREATE SCHEMA millrace AUTHORIZATION ${role}, then ALTER ROLE ${role} SET search_path = millrace.`
  }
  if (UNTRUSTED.test(code)) {
    return `The certificate of PostgreSQL at ${place} is not trusted (${reason}); name who signed it with sslrootcert=… in DATABASE_URL.`
  }
  if (/does not support SSL/.test(reason)) {
    return `PostgreSQL at ${place} does not encrypt; leave sslmode out of DATABASE_URL, or set ssl = on at the server.`
  }
  return `Cannot use PostgreSQL at ${place} (${reason}); check DATABASE_URL.`
}

/** Which right is lacking stands in what the server says, in its language; the first of these is what a new queue needs. */
function rightFor(reason: string, role: string): string {
  const schema = /schema "?([^\s"]+)"?$/.exec(reason)?.[1]
  if (/must be owner/.test(reason)) {
    return `an upgrade changes the tables, which only the role that created them may do: start it once as that role.`
  }
  if (/table|sequence|relation/.test(reason)) {
    return `grant it the tables: GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA … TO ${role}, and GRANT USAGE ON ALL SEQUENCES IN SCHEMA … TO ${role}.`
  }
  return `let it create tables: GRANT USAGE, CREATE ON SCHEMA ${schema ?? '…'} TO ${role}.`
}

function roleOf(url: string): string {
  const name = URL.canParse(url) ? decodeURIComponent(new URL(url).username) : ''
  if (name === '') return '…'
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`
}

/** Without user and password, which have no place in a log. */
function placeOf(url: string): string {
  const { host, pathname } = URL.canParse(url) ? new URL(url) : { host: '', pathname: '' }
  return `${host || 'its socket'}${pathname}`
}

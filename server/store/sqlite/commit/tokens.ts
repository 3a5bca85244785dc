/** Tokens and the sessions opened with them. What is secret arrives as a digest. */
import type { Token } from '../../../../shared/contracts/tokens.ts'
import { DAY, limits } from '../../../../shared/limits.ts'
import type { OpOf, OpValue } from '../../ops.ts'
import { nameTaken, noSuchToken, tooManyTokens } from '../../token-refusals.ts'
import type { Client } from '../connection/open.ts'
import type { Control } from './control.ts'

/** So long a revoked token keeps its row. */
const REVOKED_KEPT_MS = 90 * DAY

export class Tokens {
  private readonly control: Control
  private readonly statements

  constructor(client: Client, control: Control) {
    this.control = control
    this.statements = {
      count: client.prepare<[], number>('SELECT count(*) FROM millrace_tokens WHERE revoked_at IS NULL').pluck(),
      create: client.prepare(
        `INSERT INTO millrace_tokens (id, name, hash, scopes, type_prefix, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT DO NOTHING`,
      ),
      forgetRevoked: client.prepare('DELETE FROM millrace_tokens WHERE revoked_at < ?'),
      name: client.prepare<[string], string>('SELECT name FROM millrace_tokens WHERE id = ?').pluck(),
      revoke: client.prepare('UPDATE millrace_tokens SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL'),
      forgetSessionsOf: client.prepare('DELETE FROM millrace_sessions WHERE token_id = ?'),
      use: client.prepare('UPDATE millrace_tokens SET last_used_at = ? WHERE id = ?'),
      openSession: client.prepare(
        'INSERT INTO millrace_sessions (id, token_id, proof, created_at, seen_at) VALUES (?, ?, ?, ?, ?)',
      ),
      forgetIdle: client.prepare('DELETE FROM millrace_sessions WHERE seen_at < ?'),
      seeSession: client.prepare('UPDATE millrace_sessions SET seen_at = ? WHERE id = ?'),
      closeSession: client.prepare('DELETE FROM millrace_sessions WHERE id = ?'),
    }
  }

  create(op: OpOf<'createToken'>, now: number): Token {
    const { id, name, scopes, typePrefix } = op
    if ((this.statements.count.get() ?? 0) >= limits.tokens) throw tooManyTokens()
    const expiresAt = op.expiresInMs === null ? null : now + op.expiresInMs
    const json = JSON.stringify(scopes)
    if (this.statements.create.run(id, name, op.hash, json, typePrefix, now, expiresAt).changes === 0) {
      throw nameTaken(name)
    }
    this.statements.forgetRevoked.run(now - REVOKED_KEPT_MS)
    this.control.audit(op.actor, 'tokens.create', id, { name, scopes, typePrefix, expiresAt }, now)
    return { id, name, scopes, typePrefix, createdAt: now, lastUsedAt: null, expiresAt }
  }

  revoke(op: OpOf<'revokeToken'>, now: number): OpValue<'revokeToken'> {
    const name = this.statements.name.get(op.id)
    if (name === undefined) throw noSuchToken(op.id)
    if (this.statements.revoke.run(now, op.id).changes === 0) return { changed: false }
    this.statements.forgetSessionsOf.run(op.id)
    this.control.audit(op.actor, 'tokens.revoke', op.id, { name }, now)
    return { changed: true }
  }

  use(op: OpOf<'useTokens'>, now: number): null {
    for (const id of op.ids) this.statements.use.run(now, id)
    return null
  }

  openSession(op: OpOf<'openSession'>, now: number): null {
    this.statements.forgetIdle.run(now - op.idleMs)
    this.statements.openSession.run(op.id, op.tokenId, op.proof, now, now)
    this.control.audit(op.actor, 'session.open', null, op.details, now)
    return null
  }

  seeSession(op: OpOf<'seeSession'>, now: number): null {
    this.statements.seeSession.run(now, op.id)
    return null
  }

  closeSession(op: OpOf<'closeSession'>, now: number): OpValue<'closeSession'> {
    const changed = this.statements.closeSession.run(op.id).changes > 0
    if (changed) this.control.audit(op.actor, 'session.close', null, {}, now)
    return { changed }
  }
}

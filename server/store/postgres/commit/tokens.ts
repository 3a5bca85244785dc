/** Tokens and the sessions opened with them. What is secret arrives as a digest. */
import type { Token } from '../../../../shared/contracts/tokens.ts'
import { DAY, limits } from '../../../../shared/limits.ts'
import type { OpOf, OpValue } from '../../ops.ts'
import { nameTaken, noSuchToken, tooManyTokens } from '../../token-refusals.ts'
import type { Session } from '../connection/session.ts'
import type { Control } from './control.ts'

/** So long a revoked token keeps its row. */
const REVOKED_KEPT_MS = 90 * DAY

export class Tokens {
  private readonly session: Session
  private readonly control: Control

  constructor(session: Session, control: Control) {
    this.session = session
    this.control = control
  }

  async create(op: OpOf<'createToken'>): Promise<Token> {
    const { session } = this
    const { id, name, scopes, typePrefix } = op
    const count = 'SELECT count(*) AS n FROM millrace_tokens WHERE revoked_at IS NULL'
    const [row] = await session.rows<{ n: number }>('count-tokens', count, [])
    if ((row?.n ?? 0) >= limits.tokens) throw tooManyTokens()
    const expiresAt = op.expiresInMs === null ? null : session.now + op.expiresInMs
    const created = await session.run(
      'create-token',
      `INSERT INTO millrace_tokens (id, name, hash, scopes, type_prefix, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7)
       ON CONFLICT DO NOTHING`,
      [id, name, op.hash, JSON.stringify(scopes), typePrefix, session.now, expiresAt],
    )
    if (created === 0) throw nameTaken(name)
    const old = session.now - REVOKED_KEPT_MS
    await session.run('forget-revoked', 'DELETE FROM millrace_tokens WHERE revoked_at < $1', [old])
    this.control.audit(op.actor, 'tokens.create', id, { name, scopes, typePrefix, expiresAt })
    return { id, name, scopes, typePrefix, createdAt: session.now, lastUsedAt: null, expiresAt }
  }

  async revoke(op: OpOf<'revokeToken'>): Promise<OpValue<'revokeToken'>> {
    const { session } = this
    const find = 'SELECT name FROM millrace_tokens WHERE id = $1'
    const [row] = await session.rows<{ name: string }>('find-token', find, [op.id])
    if (!row) throw noSuchToken(op.id)
    const revoke = 'UPDATE millrace_tokens SET revoked_at = $1 WHERE id = $2 AND revoked_at IS NULL'
    if ((await session.run('revoke-token', revoke, [session.now, op.id])) === 0) return { changed: false }
    await session.run('forget-sessions-of', 'DELETE FROM millrace_sessions WHERE token_id = $1', [op.id])
    this.control.audit(op.actor, 'tokens.revoke', op.id, { name: row.name })
    return { changed: true }
  }

  /** Another node may be writing the same: none waits for the other with jobs in its hands. */
  async use(op: OpOf<'useTokens'>): Promise<null> {
    await this.session.run(
      'use-tokens',
      `UPDATE millrace_tokens SET last_used_at = $1
       WHERE id IN (SELECT id FROM millrace_tokens WHERE id = ANY($2::text[]) FOR UPDATE SKIP LOCKED)`,
      [this.session.now, op.ids],
    )
    return null
  }

  async openSession(op: OpOf<'openSession'>): Promise<null> {
    const { session } = this
    await session.run(
      'forget-idle',
      'DELETE FROM millrace_sessions WHERE id IN (SELECT id FROM millrace_sessions WHERE seen_at < $1 FOR UPDATE SKIP LOCKED)',
      [session.now - op.idleMs],
    )
    await session.run(
      'open-session',
      'INSERT INTO millrace_sessions (id, token_id, proof, created_at, seen_at) VALUES ($1, $2, $3, $4, $4)',
      [op.id, op.tokenId, op.proof, session.now],
    )
    this.control.audit(op.actor, 'session.open', null, op.details)
    return null
  }

  async seeSession(op: OpOf<'seeSession'>): Promise<null> {
    await this.session.run(
      'see-session',
      'UPDATE millrace_sessions SET seen_at = $1 WHERE id IN (SELECT id FROM millrace_sessions WHERE id = $2 FOR UPDATE SKIP LOCKED)',
      [this.session.now, op.id],
    )
    return null
  }

  async closeSession(op: OpOf<'closeSession'>): Promise<OpValue<'closeSession'>> {
    const changed =
      (await this.session.run('close-session', 'DELETE FROM millrace_sessions WHERE id = $1', [op.id])) > 0
    if (changed) this.control.audit(op.actor, 'session.close', null, {})
    return { changed }
  }
}

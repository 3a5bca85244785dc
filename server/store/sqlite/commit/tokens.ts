/** Tokens and dashboard sessions; secrets arrive as digests. */
import { and, count, eq, inArray, isNull, lt } from 'drizzle-orm'
import { sessions, tokens } from '../../../../drizzle/sqlite/schema-access.ts'
import type { Token } from '../../../../shared/contracts/tokens.ts'
import { DAY, limits } from '../../../../shared/limits.ts'
import type { OpOf, OpValue } from '../../ops.ts'
import { nameTaken, noSuchToken, tooManyTokens } from '../../token-refusals.ts'
import { type Client, type QueryBuilder, queryBuilder } from '../connection/open.ts'
import type { Control } from './control.ts'

/** Retention of revoked tokens. */
const REVOKED_KEPT_MS = 90 * DAY

export class Tokens {
  private readonly db: QueryBuilder
  private readonly control: Control

  constructor(client: Client, control: Control) {
    this.db = queryBuilder(client)
    this.control = control
  }

  create(op: OpOf<'createToken'>, now: number): Token {
    const { id, name, hash, scopes, typePrefix } = op
    const active = this.db.select({ n: count() }).from(tokens).where(isNull(tokens.revokedAt)).get()
    if ((active?.n ?? 0) >= limits.tokens) throw tooManyTokens()
    const expiresAt = op.expiresInMs === null ? null : now + op.expiresInMs
    const { changes } = this.db
      .insert(tokens)
      .values({ id, name, hash, scopes: JSON.stringify(scopes), typePrefix, createdAt: now, expiresAt })
      .onConflictDoNothing()
      .run()
    if (changes === 0) throw nameTaken(name)
    this.db
      .delete(tokens)
      .where(lt(tokens.revokedAt, now - REVOKED_KEPT_MS))
      .run()
    this.control.audit(
      { actor: op.actor, action: 'tokens.create', target: id, details: { name, scopes, typePrefix, expiresAt } },
      now,
    )
    return { id, name, scopes, typePrefix, createdAt: now, lastUsedAt: null, expiresAt }
  }

  revoke(op: OpOf<'revokeToken'>, now: number): OpValue<'revokeToken'> {
    const token = this.db.select({ name: tokens.name }).from(tokens).where(eq(tokens.id, op.id)).get()
    if (!token) throw noSuchToken(op.id)
    const { changes } = this.db
      .update(tokens)
      .set({ revokedAt: now })
      .where(and(eq(tokens.id, op.id), isNull(tokens.revokedAt)))
      .run()
    if (changes === 0) return { changed: false }
    this.db.delete(sessions).where(eq(sessions.tokenId, op.id)).run()
    this.control.audit({ actor: op.actor, action: 'tokens.revoke', target: op.id, details: { name: token.name } }, now)
    return { changed: true }
  }

  use(op: OpOf<'useTokens'>, now: number): null {
    this.db
      .update(tokens)
      .set({ lastUsedAt: now })
      .where(inArray(tokens.id, [...op.ids]))
      .run()
    return null
  }

  openSession({ id, tokenId, proof, ...op }: OpOf<'openSession'>, now: number): null {
    this.db
      .delete(sessions)
      .where(lt(sessions.seenAt, now - op.idleMs))
      .run()
    this.db.insert(sessions).values({ id, tokenId, proof, createdAt: now, seenAt: now }).run()
    this.control.audit({ actor: op.actor, action: 'session.open', target: null, details: op.details }, now)
    return null
  }

  seeSession(op: OpOf<'seeSession'>, now: number): null {
    this.db.update(sessions).set({ seenAt: now }).where(eq(sessions.id, op.id)).run()
    return null
  }

  closeSession(op: OpOf<'closeSession'>, now: number): OpValue<'closeSession'> {
    const changed = this.db.delete(sessions).where(eq(sessions.id, op.id)).run().changes > 0
    if (changed) this.control.audit({ actor: op.actor, action: 'session.close', target: null, details: {} }, now)
    return { changed }
  }
}

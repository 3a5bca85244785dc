/** Tokens and dashboard sessions; secrets arrive as digests. */
import { and, count, eq, inArray, isNull, lt, type SQL } from 'drizzle-orm'
import { sessions, tokens } from '../../../../drizzle/postgres/schema-access.ts'
import type { Token } from '../../../../shared/contracts/tokens.ts'
import { DAY, limits } from '../../../../shared/limits.ts'
import type { OpOf, OpValue } from '../../ops.ts'
import { nameTaken, noSuchToken, tooManyTokens } from '../../token-refusals.ts'
import type { Session } from '../connection/session.ts'
import type { Control } from './control.ts'

/** Retention of revoked tokens. */
const REVOKED_KEPT_MS = 90 * DAY

export class Tokens {
  private readonly session: Session
  private readonly control: Control

  constructor(session: Session, control: Control) {
    this.session = session
    this.control = control
  }

  async create(op: OpOf<'createToken'>): Promise<Token> {
    const { db, now } = this.session
    const { id, name, hash, scopes, typePrefix } = op
    const [active] = await db.select({ n: count() }).from(tokens).where(isNull(tokens.revokedAt))
    if ((active?.n ?? 0) >= limits.tokens) throw tooManyTokens()
    const expiresAt = op.expiresInMs === null ? null : now + op.expiresInMs
    const { rowCount } = await db
      .insert(tokens)
      .values({ id, name, hash, scopes: JSON.stringify(scopes), typePrefix, createdAt: now, expiresAt })
      .onConflictDoNothing()
    if (rowCount === 0) throw nameTaken(name)
    await db.delete(tokens).where(lt(tokens.revokedAt, now - REVOKED_KEPT_MS))
    this.control.audit({
      actor: op.actor,
      action: 'tokens.create',
      target: id,
      details: { name, scopes, typePrefix, expiresAt },
    })
    return { id, name, scopes, typePrefix, createdAt: now, lastUsedAt: null, expiresAt }
  }

  async revoke(op: OpOf<'revokeToken'>): Promise<OpValue<'revokeToken'>> {
    const { db, now } = this.session
    const [token] = await db.select({ name: tokens.name }).from(tokens).where(eq(tokens.id, op.id))
    if (!token) throw noSuchToken(op.id)
    const { rowCount } = await db
      .update(tokens)
      .set({ revokedAt: now })
      .where(and(eq(tokens.id, op.id), isNull(tokens.revokedAt)))
    if (rowCount === 0) return { changed: false }
    await db.delete(sessions).where(eq(sessions.tokenId, op.id))
    this.control.audit({ actor: op.actor, action: 'tokens.revoke', target: op.id, details: { name: token.name } })
    return { changed: true }
  }

  /** Skips tokens that another node is updating, so that no commit waits for them while it holds job rows. */
  async use(op: OpOf<'useTokens'>): Promise<null> {
    const { db, now } = this.session
    const unlocked = db
      .select({ id: tokens.id })
      .from(tokens)
      .where(inArray(tokens.id, [...op.ids]))
      .for('update', { skipLocked: true })
    await db.update(tokens).set({ lastUsedAt: now }).where(inArray(tokens.id, unlocked))
    return null
  }

  async openSession({ id, tokenId, proof, ...op }: OpOf<'openSession'>): Promise<null> {
    const { db, now } = this.session
    await db.delete(sessions).where(inArray(sessions.id, this.unlocked(lt(sessions.seenAt, now - op.idleMs))))
    await db.insert(sessions).values({ id, tokenId, proof, createdAt: now, seenAt: now })
    this.control.audit({ actor: op.actor, action: 'session.open', target: null, details: op.details })
    return null
  }

  async seeSession(op: OpOf<'seeSession'>): Promise<null> {
    const { db, now } = this.session
    await db
      .update(sessions)
      .set({ seenAt: now })
      .where(inArray(sessions.id, this.unlocked(eq(sessions.id, op.id))))
    return null
  }

  async closeSession(op: OpOf<'closeSession'>): Promise<OpValue<'closeSession'>> {
    const { rowCount } = await this.session.db.delete(sessions).where(eq(sessions.id, op.id))
    const changed = (rowCount ?? 0) > 0
    if (changed) this.control.audit({ actor: op.actor, action: 'session.close', target: null, details: {} })
    return { changed }
  }

  /** Ids of the sessions that no other transaction is changing. */
  private unlocked(where: SQL) {
    const { db } = this.session
    return db.select({ id: sessions.id }).from(sessions).where(where).for('update', { skipLocked: true })
  }
}

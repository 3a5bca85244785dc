/** Reads of tokens and dashboard sessions. */
import { asc, eq, isNull, sql } from 'drizzle-orm'
import { sessions, tokens } from '../../../../drizzle/sqlite/schema-access.ts'
import { type Client, queryBuilder } from '../connection/open.ts'
import type { SyncReads } from './sync-reads.ts'

export function createTokenReads(client: Client): Pick<SyncReads, 'tokens' | 'session'> {
  const db = queryBuilder(client)
  const active = db
    .select({
      id: tokens.id,
      name: tokens.name,
      hash: tokens.hash,
      scopes: tokens.scopes,
      typePrefix: tokens.typePrefix,
      createdAt: tokens.createdAt,
      lastUsedAt: tokens.lastUsedAt,
      expiresAt: tokens.expiresAt,
    })
    .from(tokens)
    .where(isNull(tokens.revokedAt))
    .orderBy(asc(tokens.createdAt), asc(tokens.id))
    .prepare()
  const session = db
    .select({ tokenId: sessions.tokenId, proof: sessions.proof, seenAt: sessions.seenAt })
    .from(sessions)
    .where(eq(sessions.id, sql.placeholder('id')))
    .prepare()
  return {
    tokens: () => active.all().map((row) => ({ ...row, scopes: JSON.parse(row.scopes) })),
    session: (id) => session.get({ id }) ?? null,
  }
}

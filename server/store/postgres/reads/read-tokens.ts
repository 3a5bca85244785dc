/** Reads of tokens and dashboard sessions. */
import { asc, eq, isNull, sql } from 'drizzle-orm'
import { sessions, tokens } from '../../../../drizzle/postgres/schema-access.ts'
import type { Reads } from '../../store.ts'
import { queryBuilder } from '../connection/open.ts'
import type { ReadOptions } from './read-options.ts'

export function createTokenReads({ open }: Pick<ReadOptions, 'open'>): Pick<Reads, 'tokens' | 'session'> {
  const db = () => queryBuilder(open())
  return {
    async tokens() {
      const { id, name, hash, scopes, typePrefix, createdAt, lastUsedAt, expiresAt } = tokens
      const rows = await db()
        .select({ id, name, hash, scopes, typePrefix, createdAt, lastUsedAt, expiresAt })
        .from(tokens)
        .where(isNull(tokens.revokedAt))
        .orderBy(asc(createdAt), sql`${id} COLLATE "C"`)
        .prepare('read-tokens')
        .execute()
      return rows.map((row) => ({ ...row, scopes: JSON.parse(row.scopes) }))
    },
    async session(id) {
      const { tokenId, proof, seenAt } = sessions
      const found = db().select({ tokenId, proof, seenAt }).from(sessions).where(eq(sessions.id, id))
      const [row] = await found.prepare('read-session').execute()
      return row ?? null
    },
  }
}

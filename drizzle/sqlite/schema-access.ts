/** Access tables for SQLite: tokens and dashboard sessions. */
import { sql } from 'drizzle-orm'
import { integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

export const tokens = sqliteTable(
  'millrace_tokens',
  {
    id: text('id').primaryKey(),
    name: text('name').notNull(),
    /** SHA-256 of the token, hex; the token itself is never stored. */
    hash: text('hash').notNull(),
    scopes: text('scopes').notNull(),
    typePrefix: text('type_prefix'),
    createdAt: integer('created_at').notNull(),
    lastUsedAt: integer('last_used_at'),
    expiresAt: integer('expires_at'),
    revokedAt: integer('revoked_at'),
  },
  (t) => [
    uniqueIndex('millrace_tokens_hash').on(t.hash),
    // Unique because the audit trail refers to tokens by name. Revoking a token frees its name.
    uniqueIndex('millrace_tokens_name').on(t.name).where(sql`${t.revokedAt} is null`),
  ],
)

/** Dashboard sessions; a session is valid as long as its token. */
export const sessions = sqliteTable('millrace_sessions', {
  /** SHA-256 of the cookie's secret, hex. */
  id: text('id').primaryKey(),
  /** null: opened with AUTH_TOKEN. */
  tokenId: text('token_id'),
  /** Digest of the AUTH_TOKEN used, keyed with the cookie's secret so that it cannot be brute-forced from the table. */
  proof: text('proof'),
  createdAt: integer('created_at').notNull(),
  seenAt: integer('seen_at').notNull(),
})

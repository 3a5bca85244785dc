/** The tables of who may come in, in SQLite; the others are in schema.ts. */
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
    // The audit trail knows tokens by name; a revoked one frees its own.
    uniqueIndex('millrace_tokens_name').on(t.name).where(sql`${t.revokedAt} is null`),
  ],
)

/** Who is signed in to the dashboard: a session counts as long as its token does. */
export const sessions = sqliteTable('millrace_sessions', {
  /** SHA-256 of the cookie's secret, hex. */
  id: text('id').primaryKey(),
  /** null: it was opened with AUTH_TOKEN. */
  tokenId: text('token_id'),
  /** AUTH_TOKEN as it was then, as a digest that nobody can guess at without the cookie. */
  proof: text('proof'),
  createdAt: integer('created_at').notNull(),
  seenAt: integer('seen_at').notNull(),
})

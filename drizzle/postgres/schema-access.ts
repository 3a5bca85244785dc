/** The tables of who may come in, in PostgreSQL, the twin of ../sqlite/schema-access.ts; the others are in schema.ts. */
import { sql } from 'drizzle-orm'
import { bigint, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core'

const long = (name: string) => bigint(name, { mode: 'number' })

export const tokens = pgTable(
  'millrace_tokens',
  {
    id: text('id').primaryKey(),
    name: text('name').notNull(),
    /** SHA-256 of the token, hex; the token itself is never stored. */
    hash: text('hash').notNull(),
    scopes: text('scopes').notNull(),
    typePrefix: text('type_prefix'),
    createdAt: long('created_at').notNull(),
    lastUsedAt: long('last_used_at'),
    expiresAt: long('expires_at'),
    revokedAt: long('revoked_at'),
  },
  (t) => [
    uniqueIndex('millrace_tokens_hash').on(t.hash),
    // The audit trail knows tokens by name; a revoked one frees its own.
    uniqueIndex('millrace_tokens_name').on(t.name).where(sql`${t.revokedAt} is null`),
  ],
)

/** Who is signed in to the dashboard: a session counts as long as its token does. */
export const sessions = pgTable('millrace_sessions', {
  /** SHA-256 of the cookie's secret, hex. */
  id: text('id').primaryKey(),
  /** null: it was opened with AUTH_TOKEN. */
  tokenId: text('token_id'),
  /** AUTH_TOKEN as it was then, as a digest that nobody can guess at without the cookie. */
  proof: text('proof'),
  createdAt: long('created_at').notNull(),
  seenAt: long('seen_at').notNull(),
})

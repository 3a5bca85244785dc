/** Access tables for PostgreSQL: tokens and dashboard sessions; same as ../sqlite/schema-access.ts. */
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
    // Unique because the audit trail refers to tokens by name. Revoking a token frees its name.
    uniqueIndex('millrace_tokens_name').on(t.name).where(sql`${t.revokedAt} is null`),
  ],
)

/** Dashboard sessions; a session is valid as long as its token. */
export const sessions = pgTable('millrace_sessions', {
  /** SHA-256 of the cookie's secret, hex. */
  id: text('id').primaryKey(),
  /** null: opened with AUTH_TOKEN. */
  tokenId: text('token_id'),
  /** Digest of the AUTH_TOKEN used, keyed with the cookie's secret so that it cannot be brute-forced from the table. */
  proof: text('proof'),
  createdAt: long('created_at').notNull(),
  seenAt: long('seen_at').notNull(),
})

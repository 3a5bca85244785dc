/** Reads of who may come in: tokens and sessions. */
import type { SessionRow, StoredToken } from '../../records.ts'
import type { Encoded } from '../../rows/stored-json.ts'
import type { Client } from '../connection/open.ts'
import type { SyncReads } from './sync-reads.ts'

export function createTokenReads(client: Client): Pick<SyncReads, 'tokens' | 'session'> {
  const tokens = client.prepare<[], Encoded<StoredToken, 'scopes'>>(
    `select id, name, hash, scopes, type_prefix as typePrefix, created_at as createdAt, last_used_at as lastUsedAt,
      expires_at as expiresAt
    from millrace_tokens where revoked_at is null order by created_at, id`,
  )
  const session = client.prepare<[string], SessionRow>(
    'select token_id as tokenId, proof, seen_at as seenAt from millrace_sessions where id = ?',
  )
  return {
    tokens: () => tokens.all().map((row) => ({ ...row, scopes: JSON.parse(row.scopes) })),
    session: (id) => session.get(id) ?? null,
  }
}

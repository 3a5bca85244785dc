/** Reads of who may come in: tokens and sessions. */

import type { SessionRow, StoredToken } from '../../records.ts'
import type { Encoded } from '../../rows/stored-json.ts'
import type { Reads } from '../../store.ts'
import type { ReadOptions } from './read-options.ts'

const TOKENS = `select id, name, hash, scopes, type_prefix as "typePrefix", created_at as "createdAt",
    last_used_at as "lastUsedAt", expires_at as "expiresAt"
  from millrace_tokens where revoked_at is null order by created_at, id collate "C"`
const SESSION = 'select token_id as "tokenId", proof, seen_at as "seenAt" from millrace_sessions where id = $1'

export function createTokenReads({ open }: Pick<ReadOptions, 'open'>): Pick<Reads, 'tokens' | 'session'> {
  return {
    async tokens() {
      const { rows } = await open().query<Encoded<StoredToken, 'scopes'>>({ name: 'read-tokens', text: TOKENS })
      return rows.map((row) => ({ ...row, scopes: JSON.parse(row.scopes) }))
    },
    async session(id) {
      return (await open().query<SessionRow>({ name: 'read-session', text: SESSION, values: [id] })).rows[0] ?? null
    },
  }
}

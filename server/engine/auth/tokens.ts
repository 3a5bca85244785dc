/** Verbs that manage tokens: create, list, revoke. */
import { randomBytes } from 'node:crypto'
import type { ParsedVerbs } from '../../../shared/verbs/verb-inputs.ts'
import { newId } from '../../base/ids.ts'
import type { Store } from '../../store/store.ts'
import type { GroupCommit } from '../commit/group-commit.ts'
import { digest } from './digest.ts'
import type { Keyring } from './keyring.ts'

export interface TokenVerbsParts {
  readonly store: Pick<Store, 'tokens'>
  readonly commits: GroupCommit
  readonly keyring: Keyring
}

type TokenVerbs = Pick<ParsedVerbs, 'createToken' | 'revokeToken' | 'tokens'>

export function createTokenVerbs({ store, commits, keyring }: TokenVerbsParts): TokenVerbs {
  return {
    async createToken({ name, scopes, typePrefix, expiresInMs, actor }) {
      const id = newId()
      const token = `mr_${randomBytes(32).toString('base64url')}`
      const created = await commits.submit<'createToken'>({
        kind: 'createToken',
        id,
        // The end of the id: ids begin with their creation time, which several tokens can share.
        name: name ?? `token-${id.slice(-8)}`,
        hash: digest(token),
        scopes: [...new Set(scopes)],
        typePrefix: typePrefix ?? null,
        expiresInMs: expiresInMs ?? null,
        actor,
      })
      keyring.changed()
      return { ...created, token }
    },
    tokens: async () => (await store.tokens()).map(({ hash: _, ...token }) => token),
    async revokeToken({ id, actor }) {
      const revoked = await commits.submit<'revokeToken'>({ kind: 'revokeToken', id, actor })
      keyring.changed()
      return revoked
    },
  }
}

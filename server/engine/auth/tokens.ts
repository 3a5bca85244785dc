/** Tokens: made, listed, revoked. */
import { randomBytes } from 'node:crypto'
import { type IdInput, idInput } from '../../../shared/contracts/observe.ts'
import { type Token, type TokenCreateInput, tokenCreateInput } from '../../../shared/contracts/tokens.ts'
import type { Store } from '../../store/store.ts'
import type { GroupCommit } from '../commit/group-commit.ts'
import { newId } from '../ids.ts'
import { parseInput } from '../verbs/input.ts'
import { type Actor, actorName } from '../verbs/operate.ts'
import { digest } from './digest.ts'
import type { Keyring } from './keyring.ts'

export interface NewToken extends Token {
  /** The secret: told this once, and stored nowhere. */
  readonly token: string
}

export interface Tokens {
  /** Makes a token; its secret is in the answer and stored nowhere. */
  createToken(input: TokenCreateInput & Actor): Promise<NewToken>
  /** All that are not revoked, oldest first. */
  tokens(): Promise<readonly Token[]>
  /** Ends its sessions as well. Twice does no harm. */
  revokeToken(input: IdInput & Actor): Promise<{ readonly changed: boolean }>
}

export interface TokensParts {
  readonly store: Pick<Store, 'tokens'>
  readonly commits: GroupCommit
  readonly keyring: Keyring
}

export function createTokens({ store, commits, keyring }: TokensParts): Tokens {
  return {
    async createToken({ actor, ...input }) {
      const { name, scopes, typePrefix, expiresInMs } = parseInput(tokenCreateInput, input)
      const by = parseInput(actorName, actor, 'actor')
      const id = newId()
      const token = `mr_${randomBytes(32).toString('base64url')}`
      const created = await commits.submit<'createToken'>({
        kind: 'createToken',
        id,
        // The first part of an id is the time it was made at, which many share.
        name: name ?? `token-${id.slice(-8)}`,
        hash: digest(token),
        scopes: [...new Set(scopes)],
        typePrefix: typePrefix ?? null,
        expiresInMs: expiresInMs ?? null,
        actor: by,
      })
      keyring.changed()
      return { ...created, token }
    },
    tokens: async () => (await store.tokens()).map(({ hash: _, ...token }) => token),
    async revokeToken({ actor, ...input }) {
      const { id } = parseInput(idInput, input)
      const revoked = await commits.submit<'revokeToken'>({
        kind: 'revokeToken',
        id,
        actor: parseInput(actorName, actor, 'actor'),
      })
      keyring.changed()
      return revoked
    },
  }
}

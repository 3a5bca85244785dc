/** The write operations of tokens and sessions, and the value that each returns. */
import type { Token } from '../../shared/contracts/tokens.ts'
import type { Scope } from '../../shared/scopes.ts'

export interface TokenOps {
  createToken: {
    op: {
      readonly id: string
      readonly name: string
      readonly hash: string
      readonly scopes: readonly Scope[]
      readonly typePrefix: string | null
      readonly expiresInMs: number | null
      readonly actor: string
    }
    value: Token
  }
  revokeToken: { op: { readonly id: string; readonly actor: string }; value: { readonly changed: boolean } }
  /** Records that the tokens were used now. */
  useTokens: { op: { readonly ids: readonly string[] }; value: null }
  /** Also deletes the sessions that have been idle for longer than `idleMs`. */
  openSession: {
    op: {
      readonly id: string
      readonly tokenId: string | null
      readonly proof: string | null
      readonly idleMs: number
      readonly actor: string
      readonly details: unknown
    }
    value: null
  }
  seeSession: { op: { readonly id: string }; value: null }
  closeSession: { op: { readonly id: string; readonly actor: string }; value: { readonly changed: boolean } }
}

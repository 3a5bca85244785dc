/** Inputs and records of access tokens. */
import { z } from 'zod'
import { limits } from '../limits.ts'
import { SCOPES, type Scope } from '../scopes.ts'
import { typeName } from './fields.ts'

export const tokenCreateInput = z.strictObject({
  name: z
    .string()
    .min(1)
    .max(limits.tokenNameLength)
    .regex(/^[^\p{C}\p{Zl}\p{Zp}]+$/u, 'must be printable characters only')
    .optional(),
  scopes: z.array(z.enum(SCOPES)).min(1).max(SCOPES.length),
  typePrefix: typeName.optional(),
  expiresInMs: z.int().min(limits.tokenMs.min).max(limits.tokenMs.max).optional(),
})

/** Scopes and lifetime of a new token. */
export interface TokenCreateInput {
  /** Name, shown in the audit trail as `token:<name>`; default: `token-` and a few characters of its id. */
  name?: string | undefined
  /** Scopes: `produce`, `work`, `read`, `admin`. */
  scopes: Scope[]
  /** Limits the token to types with this prefix; default: all types. */
  typePrefix?: string | undefined
  /** Lifetime in milliseconds; default: until it is revoked. */
  expiresInMs?: number | undefined
}

/** A token without its secret, which is returned only once, on creation. */
export interface Token {
  /** The id, used to revoke the token. */
  readonly id: string
  /** The name of the token. */
  readonly name: string
  /** The scopes of the token. */
  readonly scopes: readonly Scope[]
  /** The token is limited to types with this prefix; null: all types. */
  readonly typePrefix: string | null
  /** When it was created. */
  readonly createdAt: number
  /** When it was last used, to the minute. */
  readonly lastUsedAt: number | null
  /** When it expires; null: never. */
  readonly expiresAt: number | null
}

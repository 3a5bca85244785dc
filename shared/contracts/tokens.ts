/** Tokens: what each may do, and what it takes to make one. */
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

/** What a new token may do, and for how long. */
export interface TokenCreateInput {
  /** Who will have it: the audit trail says `token:<name>`; default: `token-` and a few characters of its id. */
  name?: string | undefined
  /** What it may do: `produce`, `work`, `read`, `admin`. */
  scopes: Scope[]
  /** It may use only types that begin with this; default: all types. */
  typePrefix?: string | undefined
  /** How long it is valid, in milliseconds; default: until it is revoked. */
  expiresInMs?: number | undefined
}

/** A token as lists show it; the secret itself is shown once, when it is made. */
export interface Token {
  /** The id, by which it is revoked. */
  readonly id: string
  /** Who has it. */
  readonly name: string
  /** What it may do. */
  readonly scopes: readonly Scope[]
  /** It may use only types that begin with this; null: all types. */
  readonly typePrefix: string | null
  /** When it was made. */
  readonly createdAt: number
  /** When it was last used, to the minute. */
  readonly lastUsedAt: number | null
  /** When it ends by itself. */
  readonly expiresAt: number | null
}

/** Tokens: what each may do, and what it takes to make one. */
import { z } from 'zod'
import { limits } from '../limits.ts'
import { SCOPES, type Scope } from '../scopes.ts'
import { typeName } from './fields.ts'

export const tokenCreateInput = z.strictObject({
  /** Who will have it: the audit trail says `token:<name>`. */
  name: z
    .string()
    .min(1)
    .max(limits.tokenNameLength)
    .regex(/^[^\p{C}\p{Zl}\p{Zp}]+$/u, 'must be printable characters only')
    .optional(),
  scopes: z.array(z.enum(SCOPES)).min(1).max(SCOPES.length),
  /** It knows only types that begin with this. */
  typePrefix: typeName.optional(),
  expiresInMs: z.int().min(limits.tokenMs.min).max(limits.tokenMs.max).optional(),
})

export type TokenCreateInput = z.input<typeof tokenCreateInput>

/** A token as lists show it; the secret itself is shown once, when it is made. */
export interface Token {
  readonly id: string
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly typePrefix: string | null
  readonly createdAt: number
  /** To the minute. */
  readonly lastUsedAt: number | null
  readonly expiresAt: number | null
}

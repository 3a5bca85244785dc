/** A token to be made, as a form has it. */
import type { TokenCreateInput } from '../../../../shared/contracts/tokens.ts'
import type { Scope } from '../../../../shared/scopes.ts'
import { parseDuration } from '../form/duration-text.ts'
import type { Problems } from '../form/fields.ts'

export interface TokenDraft {
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly prefix: string
  /** '': never. */
  readonly expires: string
}

export type TokenReading =
  | { readonly ok: true; readonly input: TokenCreateInput }
  | { readonly ok: false; readonly problems: Problems }

export function readToken({ name, scopes, prefix, expires }: TokenDraft): TokenReading {
  const expiresInMs = expires.trim() === '' ? undefined : parseDuration(expires)
  const problems = {
    ...(name.trim() === '' && { name: 'Say who will have it.' }),
    ...(scopes.length === 0 && { scopes: 'Choose at least one.' }),
    ...(expiresInMs === null && { expiresInMs: 'Say it with a unit: 12h, 30d, 365d.' }),
  }
  if (expiresInMs === null || Object.keys(problems).length > 0) return { ok: false, problems }
  return {
    ok: true,
    input: {
      name: name.trim(),
      scopes: [...scopes],
      ...(prefix.trim() !== '' && { typePrefix: prefix.trim() }),
      ...(expiresInMs !== undefined && { expiresInMs }),
    },
  }
}

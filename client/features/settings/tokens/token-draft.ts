/** New token as form input. */
import type { TokenCreateInput } from '../../../../shared/contracts/tokens.ts'
import { DURATION_RULE, parseDuration } from '../../../../shared/duration.ts'
import type { Scope } from '../../../../shared/scopes.ts'
import type { Problems } from '../../../ui/form/fields.ts'

export interface TokenDraft {
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly prefix: string
  /** '': never. */
  readonly expires: string
}

export type ParsedToken =
  | { readonly ok: true; readonly input: TokenCreateInput }
  | { readonly ok: false; readonly problems: Problems }

export function readToken({ name, scopes, prefix, expires }: TokenDraft): ParsedToken {
  const expiresInMs = expires.trim() === '' ? undefined : parseDuration(expires)
  const problems = {
    ...(name.trim() === '' && { name: 'Enter a name.' }),
    ...(scopes.length === 0 && { scopes: 'Select at least one scope.' }),
    ...(expiresInMs === null && { expiresInMs: `It ${DURATION_RULE}.` }),
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

/** The types that the claims of a commit search: those that they list, and the others by kind. */
import type { Kind } from '../../../../shared/status.ts'
import type { ClaimOp } from '../../decisions/choose-jobs.ts'
import type { KnownType } from '../../decisions/rules.ts'
import type { RequestedTypes } from './candidates.ts'

export function splitTypes(ops: readonly ClaimOp[], open: readonly KnownType[]): RequestedTypes {
  const names = new Set(ops.flatMap(({ types }) => types ?? []))
  const listed: string[] = []
  const unlisted = new Map<Kind, string[]>()
  for (const { name, kind } of open) {
    if (names.has(name)) listed.push(name)
    else {
      const ofKind = unlisted.get(kind) ?? []
      unlisted.set(kind, ofKind)
      ofKind.push(name)
    }
  }
  return { listed, unlisted: [...unlisted.values()] }
}

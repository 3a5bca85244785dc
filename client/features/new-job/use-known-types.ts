/** Types that jobs can be enqueued for, with kind, schema and group key. */
import { useMemo } from 'react'
import { api } from '../../lib/api.ts'
import { useFrames } from '../../live/use-live.ts'
import { usePaced } from '../../live/use-paced.ts'
import type { KnownType } from './draft/draft.ts'

const READ_EVERY_MS = 2_000

export function useKnownTypes(): { readonly types: ReadonlyMap<string, KnownType>; readonly isLoading: boolean } {
  const query = api.types.list.useQuery()
  const refresh = usePaced(query, READ_EVERY_MS)
  useFrames(({ types, refetch }) => {
    if (types || refetch) refresh()
  })
  const { data, isPending } = query
  const types = useMemo(() => {
    const known = new Map<string, KnownType>()
    for (const { name, kind, declared, override, effective } of data ?? []) {
      if (kind === 'system') continue
      const schema = override.payloadSchema === undefined ? declared.payloadSchema : override.payloadSchema
      known.set(name, { kind, schema: schema ?? null, keyPointer: effective.group?.key ?? null })
    }
    return known
  }, [data])
  return { types, isLoading: isPending }
}

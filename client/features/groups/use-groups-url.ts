/** URL state of the Groups page: group, key, search, sort order and the open dialog. */
import { useSearchParams } from 'wouter'
import type { GroupKeysInput } from '../../../shared/contracts/groups.ts'

export type KeySort = NonNullable<GroupKeysInput['sort']>

const SORTS = ['blocked', 'oldest', 'running'] as const satisfies readonly KeySort[]

type Param = 'q' | 'sort' | 'edit'

export function useGroupsUrl() {
  const [params, setParams] = useSearchParams()
  return {
    group: params.get('group'),
    key: params.get('key'),
    search: params.get('q') ?? '',
    sort: SORTS.find((one) => one === params.get('sort')) ?? 'blocked',
    /** Name whose limits are edited. */
    edit: params.get('edit'),
    /** null removes the parameter. */
    set(name: Param, value: string | null, { replace = true }: { readonly replace?: boolean } = {}): void {
      setParams(
        (before) => {
          const next = new URLSearchParams(before)
          if (value === null || value === '') next.delete(name)
          else next.set(name, value)
          return next
        },
        { replace },
      )
    },
  }
}

/** Sets `waitMs` to 0 where the call must not wait. */
import type { ApiContext } from '../context.ts'

export function limitWait<Params extends { readonly waitMs: number }>({ mayWait }: ApiContext, params: Params): Params {
  return mayWait ? params : { ...params, waitMs: 0 }
}

/** Waiting calls: `waitMs` counts as 0 where the context allows no wait. */
import type { ApiContext } from '../context.ts'

export function waiting<Params extends { readonly waitMs: number }>({ mayWait }: ApiContext, params: Params): Params {
  return mayWait ? params : { ...params, waitMs: 0 }
}

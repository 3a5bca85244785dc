/** The first link of a client: what a call sends is encoded when it is made, before any batch waits for more. */
import type { TRPCLink } from '@trpc/client'
import { encodeInput } from '../../shared/text.ts'
import type { AppRouter } from '../api/router.ts'

/** How long the input of a call is, in characters of JSON: known here, and asked for when calls are put into batches. */
export const LENGTH = 'inputLength'

/**
 * An object that is changed right after the call is sent as it was. What JSON cannot hold is refused as a queue in this process refuses
 * it; inside fetch it would look like a server that cannot be reached.
 */
export const encodeLink: TRPCLink<AppRouter> = () => {
  return ({ op, next }) => {
    const json = encodeInput(op.input)
    if (json === undefined) return next(op)
    return next({ ...op, input: JSON.parse(json), context: { ...op.context, [LENGTH]: json.length } })
  }
}

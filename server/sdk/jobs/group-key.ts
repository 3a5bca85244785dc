/** Key of a job in its group, computed from its payload by the function of its definition. */
import { QueueError } from '../../../shared/errors.ts'

/** Returns the key of a job, such as the id of its tenant; undefined: the job belongs to no group. */
export type GroupKeyOf<Payload> = (payload: Payload) => string | number | undefined

/** Calls `keyOf`, whose argument the caller has validated. `name` is the name of the job in error messages. */
export function computedKey(keyOf: GroupKeyOf<never>, payload: unknown, name: string): string | undefined {
  // The function accepts the output of the schema that has just validated the payload.
  const key: unknown = keyOf(payload as never)
  if (key === undefined) return undefined
  if (typeof key === 'string' || Number.isFinite(key)) return String(key)
  throw new QueueError('BAD_INPUT', `The group key of ${name} must be a string or a number; undefined means no group.`)
}

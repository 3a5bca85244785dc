/** The group and the key of a new job: from the job, else from its type and payload. */
import { groupKey } from '../../../shared/contracts/fields.ts'
import type { GroupSettings } from '../../../shared/contracts/groups.ts'
import { FieldError } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'
import type { NewJob } from '../ops.ts'

/** A key of a group. */
export interface JobGroup {
  readonly name: string
  readonly key: string
}

type Grouped = Pick<NewJob, 'type' | 'payload' | 'groupName' | 'groupKey'>

/** `settings`: the group of the job's type. null: the job has no key, and belongs to no group. */
export function groupOf(job: Grouped, settings: GroupSettings | null): JobGroup | null {
  const key = job.groupKey ?? (settings?.key === undefined ? null : keyIn(job.payload, settings.key))
  return key === null ? null : { name: job.groupName ?? settings?.name ?? job.type, key }
}

/** Only types with a pointer pay for parsing the payload. */
function keyIn(payload: string, pointer: string): string | null {
  const value = valueAt(JSON.parse(payload), pointer)
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return null
  const key = String(value)
  if (groupKey.safeParse(key).success) return key
  throw new FieldError(
    'BAD_INPUT',
    `payload${pointer}`,
    `must have 1 to ${limits.keyLength} printable characters: it is the key of the job's group.`,
  )
}

function valueAt(payload: unknown, pointer: string): unknown {
  let value = payload
  for (const part of pointer.slice(1).split('/')) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    // The length of an array is no part of the payload.
    if (Array.isArray(value) && name === 'length') return undefined
    value = Reflect.get(value, name)
  }
  return value
}

/** Keys of groups that are stopped or paused and have blocked jobs, read through the API. */
import type { HeldKey } from '../../../../shared/groups/check-groups.ts'
import type { GroupRow } from '../../../../shared/groups/records.ts'
import { limits } from '../../../../shared/limits.ts'
import type { Queue } from '../../../../shared/queue.ts'

/** Of each group, the keys with most blocked jobs. */
export async function readHeldKeys(queue: Queue): Promise<readonly HeldKey[]> {
  const held: HeldKey[] = []
  let cursor: string | undefined
  do {
    const page = await queue.groups({ limit: limits.list, cursor })
    for (const group of page.groups) if (group.blocked > 0) held.push(...(await heldKeysOf(queue, group)))
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
  return held
}

async function heldKeysOf(queue: Queue, { name, blocked, effective }: GroupRow): Promise<readonly HeldKey[]> {
  const { keys } = await queue.groupKeys({ name, sort: 'blocked', limit: limits.list })
  const waiting = keys.filter((key) => key.blocked > 0)
  const stopped = waiting.flatMap(({ key, stopped, ...own }): HeldKey[] => {
    const isStopped = stopped !== null && own.effective.order === 'strict'
    return isStopped ? [{ name, key, blocked: own.blocked, since: stopped.at, reason: 'stopped' }] : []
  })
  const pausedKeys = waiting.flatMap(({ key, override, oldestBlockedAt, ...own }): HeldKey[] => {
    const isPaused = override.paused === true && oldestBlockedAt !== null
    return isPaused ? [{ name, key, blocked: own.blocked, since: oldestBlockedAt, reason: 'paused' }] : []
  })
  if (!effective.paused) return [...stopped, ...pausedKeys]
  const since = waiting
    .filter(({ override }) => override.paused === undefined)
    .reduce((least, { oldestBlockedAt }) => Math.min(least, oldestBlockedAt ?? least), Number.POSITIVE_INFINITY)
  return [...stopped, ...pausedKeys, { name, key: null, blocked, since, reason: 'paused' }]
}

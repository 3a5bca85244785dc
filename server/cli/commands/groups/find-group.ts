/** Finds a group by its name. */
import { nearest } from '../../../../shared/json/nearest.ts'
import type { Queue } from '../../../../shared/queue.ts'
import { CliError, EXIT } from '../../exit-codes.ts'

type GroupRow = Awaited<ReturnType<Queue['groups']>>['groups'][number]

/** All pages, up to `limit` groups. */
export async function* groupPages(queue: Queue, search: string | undefined, limit: number): AsyncGenerator<GroupRow> {
  let cursor: string | undefined
  let left = limit
  do {
    const page = await queue.groups({ search, cursor, limit: Math.min(200, left) })
    yield* page.groups
    left -= page.groups.length
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined && left > 0)
}

/** null: no type declares it, it has no jobs and no overrides. */
export async function findGroup(queue: Queue, name: string): Promise<GroupRow | null> {
  for await (const group of groupPages(queue, name, Number.MAX_SAFE_INTEGER)) if (group.name === name) return group
  return null
}

export async function requireGroup(queue: Queue, name: string): Promise<GroupRow> {
  const group = await findGroup(queue, name)
  if (group) return group
  throw new CliError(EXIT.notFound, `There is no group ${name}; ${await advice(queue, name)}`)
}

/** A group with a similar name. */
export async function advice(queue: Queue, name: string): Promise<string> {
  const { groups } = await queue.groups({ limit: 200 })
  const meant = nearest(
    name,
    groups.map((group) => group.name),
    3,
  )
  return meant === undefined ? 'see queuectl groups.' : `did you mean ${meant}?`
}

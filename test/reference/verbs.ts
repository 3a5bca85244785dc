/** Maps queue methods to tRPC procedures by calling each on a remote queue. */
import { z } from 'zod'
import { appRouter } from '../../server/api/router.ts'
import { openRemoteQueue } from '../../server/sdk/remote/remote-queue.ts'
import { code, table } from './markdown.ts'
import type { Member } from './types.ts'

/** The server validates inputs; this one only has the fields that the client reads. */
const INPUT = { id: '', name: '', ids: [], jobs: [], scopes: [] }

const definition = z.object({ meta: z.object({ scopes: z.array(z.string()) }) })

export async function verbsSection(verbs: readonly Member[]): Promise<string> {
  const called = await proceduresOf(verbs.filter(({ parameters }) => parameters !== null).map(({ name }) => name))
  const procedures = new Map<string, object>(Object.entries(appRouter._def.procedures))
  const rows = verbs.flatMap(({ name, doc }) => {
    const path = called.get(name)
    if (path === undefined) return []
    const procedure = procedures.get(path)
    const { scopes } = definition.parse(procedure && '_def' in procedure && procedure._def).meta
    return [[code(name), path === name ? 'the same' : code(path), scopes.map(code).join(' or '), doc]]
  })
  return table(['verb', 'procedure', 'scope', 'what it does'], rows)
}

async function proceduresOf(names: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const called = new Map<string, string>()
  const realFetch = globalThis.fetch
  try {
    for (const name of names) {
      globalThis.fetch = (input) => {
        const { pathname } = new URL(input instanceof Request ? input.url : input)
        called.set(name, pathname.replace('/trpc/', ''))
        return Promise.reject(new Error('Nothing is sent.'))
      }
      const queue = openRemoteQueue({ url: 'http://reference.invalid' })
      // A stream sends its request when it is read.
      if (name === 'export') await failing(queue.export({})[Symbol.asyncIterator]().next())
      else await failing(call(new Map<string, unknown>(Object.entries(queue)).get(name)))
    }
  } finally {
    globalThis.fetch = realFetch
  }
  return called
}

function call(verb: unknown): unknown {
  return typeof verb === 'function' ? verb(INPUT) : undefined
}

/** Waits for the request, which fails because nothing is sent. */
async function failing(answer: unknown): Promise<void> {
  await Promise.resolve(answer).catch(() => {})
}

/** Connection for a Drizzle transaction that does not wait for the response to BEGIN. */
import type { PoolClient } from 'pg'

/** Hooks for the statements that Drizzle itself sends: `begin`, `commit` and `rollback`. */
export interface PipelineHooks {
  /** Replaces Drizzle's `begin`: includes the settings of the transaction, which saves a second statement. */
  readonly begin: string
  /** BEGIN was sent; `response` rejects when it fails. */
  begun(response: Promise<unknown>): void
  /** A statement failed. */
  failed(text: string, error: unknown): void
}

const EMPTY_RESULT = { rows: [], rowCount: null }

/**
 * Drizzle awaits the response to BEGIN before it calls the function of the transaction, which would cost every commit a round
 * trip. On a pipelined connection statements run in the order in which they were sent, so this is not needed: BEGIN is sent
 * together with the first statements, and the session awaits all responses before COMMIT is sent.
 */
export function pipelined(client: PoolClient, hooks: PipelineHooks): PoolClient {
  return new Proxy(client, {
    get(target, key) {
      if (key !== 'query') return Reflect.get(target, key, target)
      return (...args: unknown[]) => {
        const text = textOf(args[0])
        const response: Promise<unknown> =
          text === 'begin' ? target.query(hooks.begin) : Reflect.apply(target.query, target, args)
        response.catch((error: unknown) => hooks.failed(text, error))
        if (text === 'commit') return response.then(requireCommitted)
        if (text !== 'begin') return response
        hooks.begun(response)
        return Promise.resolve(EMPTY_RESULT)
      }
    },
  })
}

/** COMMIT of a transaction in which a statement has failed succeeds as well, and rolls back. */
function requireCommitted(result: unknown): unknown {
  if (typeof result === 'object' && result !== null && 'command' in result && result.command === 'COMMIT') return result
  throw new Error('PostgreSQL rolled the transaction back instead of committing it.')
}

function textOf(query: unknown): string {
  return typeof query === 'object' && query !== null && 'text' in query ? String(query.text) : String(query)
}

/** Connection for a Drizzle transaction that does not wait for the response to BEGIN. */
import type { PoolClient } from 'pg'

/** Hooks for the statements that Drizzle itself sends: `begin`, `commit` and `rollback`. */
export interface PipelineHooks {
  /** Sends BEGIN and the settings of the transaction; rejects when they fail. */
  begin(): Promise<unknown>
  /** Sends COMMIT; default: as Drizzle does. */
  readonly commit?: (() => Promise<unknown>) | undefined
  /** Called before any other statement is sent. */
  flush(): void
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
        const response = sent(target, hooks, text, args)
        response.catch((error: unknown) => hooks.failed(text, error))
        if (text === 'commit') return response.then(requireCommitted)
        if (text !== 'begin') return response
        hooks.begun(response)
        return Promise.resolve(EMPTY_RESULT)
      }
    },
  })
}

function sent(target: PoolClient, hooks: PipelineHooks, text: string, args: unknown[]): Promise<unknown> {
  if (text === 'begin') return hooks.begin()
  if (text === 'commit' && hooks.commit) return hooks.commit()
  hooks.flush()
  return Reflect.apply(target.query, target, args)
}

/** COMMIT of a transaction in which a statement has failed succeeds as well, and rolls back. */
function requireCommitted(result: unknown): unknown {
  if (typeof result === 'object' && result !== null && 'command' in result && result.command === 'COMMIT') return result
  throw new Error('PostgreSQL rolled the transaction back instead of committing it.')
}

function textOf(query: unknown): string {
  return typeof query === 'object' && query !== null && 'text' in query ? String(query.text) : String(query)
}

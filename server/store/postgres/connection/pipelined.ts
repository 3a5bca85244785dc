/** A connection for a Drizzle transaction that does not wait for BEGIN to be answered. */
import type { PoolClient } from 'pg'

/** What becomes of the statements that Drizzle itself sends: `begin`, `commit` and `rollback`. */
export interface Sent {
  /** What is sent in place of Drizzle's `begin`: a transaction that begins with its settings costs no second statement. */
  readonly begin: string
  /** BEGIN is under way; it fails when this does. */
  begun(answer: Promise<unknown>): void
  /** One of them failed. */
  failed(text: string, error: unknown): void
}

const ANSWERED = { rows: [], rowCount: null }

/**
 * Drizzle waits for the answer to BEGIN before it calls the function of the transaction, which would cost every commit a trip to
 * the server. On a pipelined connection statements run in the order in which they were sent, so the wait is not needed: BEGIN
 * travels together with the first statements, and the session waits for its answer with theirs, before COMMIT is sent.
 */
export function pipelined(client: PoolClient, sent: Sent): PoolClient {
  return new Proxy(client, {
    get(target, key) {
      if (key !== 'query') return Reflect.get(target, key, target)
      return (...asked: unknown[]) => {
        const text = textOf(asked[0])
        const answer: Promise<unknown> =
          text === 'begin' ? target.query(sent.begin) : Reflect.apply(target.query, target, asked)
        answer.catch((error: unknown) => sent.failed(text, error))
        if (text !== 'begin') return answer
        sent.begun(answer)
        return Promise.resolve(ANSWERED)
      }
    },
  })
}

function textOf(query: unknown): string {
  return typeof query === 'object' && query !== null && 'text' in query ? String(query.text) : String(query)
}

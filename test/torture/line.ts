/** Stock tRPC clients of a server that dies and comes back: whatever got no answer is asked again. */
import { createTRPCClient, httpBatchLink, httpLink, isTRPCClientError, splitLink, type TRPCClient } from '@trpc/client'
import type { AppRouter, ErrorCode } from '../../server/index.ts'
import { limits } from '../../shared/limits.ts'

export type Api = TRPCClient<AppRouter>

/** Somebody who takes no silence for an answer. */
export interface Caller {
  /** Throws refusals. */
  insist<Answer>(call: (api: Api) => Promise<Answer>): Promise<Answer>
}

export class Line implements Caller {
  /** Calls that ended without an answer, so that nobody knows what became of them. */
  unanswered = 0
  private connected: (api: Api) => void = () => {}
  private api = this.nextApi()

  connect(origin: string): void {
    this.connected(connect(origin))
  }

  /** Right before the kill: from here on callers expect to lose their answers, and wait for the next server. */
  hangUp(): void {
    this.api = this.nextApi()
  }

  /** Throws refusals, and whatever goes wrong while the server is meant to be there. */
  async insist<Answer>(call: (api: Api) => Promise<Answer>): Promise<Answer> {
    for (;;) {
      const { api } = this
      try {
        return await call(await api)
      } catch (error) {
        if (refusalOf(error) !== null || api === this.api) throw error
        this.unanswered++
      }
    }
  }

  private nextApi(): Promise<Api> {
    return new Promise((resolve) => {
      this.connected = resolve
    })
  }
}

/** The server's own word, if it gave one: a broken connection has none. */
export function refusalOf(error: unknown): ErrorCode | null {
  return isTRPCClientError<AppRouter>(error) ? (error.data?.queueCode ?? null) : null
}

/** `origin` is where the server is, `http://127.0.0.1:3000`. */
export function connect(origin: string): Api {
  const url = `${origin}/trpc`
  return createTRPCClient<AppRouter>({
    links: [
      splitLink({
        condition: ({ path }) => path === 'claim' || path === 'exchange',
        true: httpLink({ url }),
        false: httpBatchLink({ url, maxItems: limits.batchCalls }),
      }),
    ],
  })
}

/** Standard tRPC clients of a restarting server; calls without a response are retried. */
import { createTRPCClient, httpBatchLink, httpLink, isTRPCClientError, splitLink, type TRPCClient } from '@trpc/client'
import type { AppRouter, ErrorCode } from '../../../server/index.ts'
import { limits } from '../../../shared/limits.ts'

export type Api = TRPCClient<AppRouter>

/** A caller that retries calls without a response. */
export interface Caller {
  /** Throws errors of the server. */
  insist<Answer>(call: (api: Api) => Promise<Answer>): Promise<Answer>
}

export class Line implements Caller {
  /** Calls that ended without a response, so that their outcome is unknown. */
  unanswered = 0
  private connected: (api: Api) => void = () => {}
  private api = this.nextApi()

  connect(origin: string): void {
    this.connected(connect(origin))
  }

  /** Called right before the kill: from here on responses may be lost, and callers wait for the next server. */
  hangUp(): void {
    this.api = this.nextApi()
  }

  /** Throws errors of the server, and any error while the server should be up. */
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

/** The error of the server, if there is one; a broken connection has none. */
export function refusalOf(error: unknown): ErrorCode | null {
  return isTRPCClientError<AppRouter>(error) ? (error.data?.queueCode ?? null) : null
}

/** `origin` is the address of the server, `http://127.0.0.1:3000`. */
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

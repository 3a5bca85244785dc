/**
 * Counts responses by route class and status; unknown paths share one class, so the number of series is bounded. Each operation of a
 * batch counts as a response with its own status: a batch of refused operations has the status 200.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Tally } from '../../api/context.ts'

const ROUTES: readonly (readonly [pattern: RegExp, route: string])[] = [
  [/^\/trpc(?:\/|$)/, 'trpc'],
  [/^\/api\/queue(?:\/|$)/, 'json-queue'],
  [/^\/v1\/messages(?:\/|$)/, 'messages'],
  [/^\/api\/(?:task-queue|tasks)(?:\/|$)/, 'task-queue'],
  [/^\/session(?:\/|$)/, 'session'],
  [/^\/(?:health|ready)$/, 'health'],
  [/^\/metrics$/, 'metrics'],
  [/^\/(?:index\.html|assets\/.*|dashboard|reference|openapi\.json)?$/, 'page'],
]

export interface RequestCount {
  readonly route: string
  readonly status: string
  n: number
}

export class RequestCounts {
  private readonly basePath: string
  private readonly counts = new Map<string, RequestCount>()

  constructor(basePath: string) {
    this.basePath = basePath
  }

  /** Counts when the response ends or its connection closes. */
  track(request: IncomingMessage, response: ServerResponse, tally: Tally): void {
    const route = this.routeOf(request.url ?? '')
    response.once('close', () => {
      if (!response.headersSent) this.count(route, 499)
      else if (!tally.operations || response.statusCode !== 200) this.count(route, response.statusCode)
      else for (const [status, n] of tally.operations) this.count(route, status, n)
    })
  }

  all(): Iterable<RequestCount> {
    return this.counts.values()
  }

  private count(route: string, code: number, n = 1): void {
    const key = `${route} ${code}`
    const count = this.counts.get(key)
    if (count) count.n += n
    else this.counts.set(key, { route, status: String(code), n })
  }

  private routeOf(url: string): string {
    const [path = ''] = url.split('?', 1)
    const inside = path.startsWith(this.basePath) ? path.slice(this.basePath.length) : path
    return ROUTES.find(([pattern]) => pattern.test(inside))?.[1] ?? 'other'
  }
}

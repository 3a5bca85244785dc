/** Counts responses by route class and status; unknown paths share one class, so the number of series is bounded. */
import type { IncomingMessage, ServerResponse } from 'node:http'

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
  track(request: IncomingMessage, response: ServerResponse): void {
    const route = this.routeOf(request.url ?? '')
    response.once('close', () => this.count(route, response.headersSent ? response.statusCode : 499))
  }

  all(): Iterable<RequestCount> {
    return this.counts.values()
  }

  private count(route: string, code: number): void {
    const key = `${route} ${code}`
    const count = this.counts.get(key)
    if (count) count.n += 1
    else this.counts.set(key, { route, status: String(code), n: 1 })
  }

  private routeOf(url: string): string {
    const [path = ''] = url.split('?', 1)
    const inside = path.startsWith(this.basePath) ? path.slice(this.basePath.length) : path
    return ROUTES.find(([pattern]) => pattern.test(inside))?.[1] ?? 'other'
  }
}

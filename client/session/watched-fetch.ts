/** Fetch and EventSource that update the auth state and turn failures into readable errors. */
import { authStore } from './auth-state.ts'

/** In the shape that tRPC parses. The server's message is for API clients: it names a header to send. */
const SIGNED_OUT = {
  error: {
    message: 'You have been signed out.',
    code: -32001,
    data: { code: 'UNAUTHORIZED', httpStatus: 401, queueCode: 'UNAUTHORIZED', details: {} },
  },
}
/** Status codes of a proxy whose upstream server is down. */
const UPSTREAM_DOWN: readonly number[] = [502, 503, 504]

interface Init extends Omit<RequestInit, 'signal'> {
  readonly signal?: AbortSignal | null | undefined
}

export async function watchedFetch(address: RequestInfo | URL, { signal = null, ...init }: Init = {}) {
  const request = authStore.nextRequest()
  const response = await fetch(address, { ...init, signal }).catch((error: unknown) => {
    throw signal?.aborted ? error : noResponse(error)
  })
  const isOurs = response.headers.get('content-type')?.startsWith('application/json') ?? false
  if (UPSTREAM_DOWN.includes(response.status) && !isOurs) throw noResponse(response.status)
  // Reading the session shows the cause. Also after a 401: another tab may have signed in meanwhile.
  if (response.status === 403 || response.status === 401) authStore.recheck()
  if (response.status !== 401) return response
  authStore.update('signed-out', request)
  return Response.json(SIGNED_OUT, { status: 401 })
}

function noResponse(cause: unknown): Error {
  return new Error('The server did not answer.', { cause })
}

/** Browsers do not expose why a stream was rejected or closed, so every error rechecks the session. */
export class WatchedEventSource extends EventSource {
  constructor(address: string | URL, init?: EventSourceInit) {
    super(address, init)
    this.addEventListener('error', () => authStore.recheck())
  }
}

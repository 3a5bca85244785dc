/** Fetch and event streams that notice when the server lets this page in no longer, and say what went wrong in words for people. */
import { door } from './auth-state.ts'

/** The shape that tRPC reads. The server's own words are for programs: they name a header to send. */
const SIGNED_OUT = {
  error: {
    message: 'You are not signed in any more.',
    code: -32001,
    data: { code: 'UNAUTHORIZED', httpStatus: 401, queueCode: 'UNAUTHORIZED', details: {} },
  },
}
/** What a proxy says in the place of a server that is away. */
const AWAY: readonly number[] = [502, 503, 504]

interface Asked extends Omit<RequestInit, 'signal'> {
  readonly signal?: AbortSignal | null | undefined
}

export async function watchedFetch(address: RequestInfo | URL, { signal = null, ...asked }: Asked = {}) {
  const question = door.ask()
  const response = await fetch(address, { ...asked, signal }).catch((error: unknown) => {
    throw signal?.aborted ? error : noAnswer(error)
  })
  const isOurs = response.headers.get('content-type')?.startsWith('application/json') ?? false
  if (AWAY.includes(response.status) && !isOurs) throw noAnswer(response.status)
  // A look says why; after a 401 too, for somebody may have come in by another tab meanwhile.
  if (response.status === 403 || response.status === 401) door.doubt()
  if (response.status !== 401) return response
  door.found('signed-out', question)
  return Response.json(SIGNED_OUT, { status: 401 })
}

function noAnswer(cause: unknown): Error {
  return new Error('The server gave no answer.', { cause })
}

/** Browsers do not say why a stream was refused or cut: a look at the session does. */
export class WatchedEventSource extends EventSource {
  constructor(address: string | URL, init?: EventSourceInit) {
    super(address, init)
    this.addEventListener('error', () => door.doubt())
  }
}

/** The queue behind a server's URL: each verb calls the procedure that the table of verbs names. */
import type { BackupInput } from '../../../shared/contracts/operate.ts'
import { QueueError } from '../../../shared/errors.ts'
import { type ExchangedData, fromSettledData } from '../../../shared/outcomes.ts'
import type { Address, Queue } from '../../../shared/queue.ts'
import type { BackupRecord } from '../../../shared/records.ts'
import { defineVerbs, VERB_NAMES, VERBS } from '../../../shared/verbs/verbs.ts'
import { fetchTransport } from './fetch-transport.ts'
import { serverCalls } from './server-calls.ts'
import type { Timeouts } from './server-requests.ts'
import type { Connect } from './transport.ts'

/** A queue behind a server, with the verbs that only a server has. */
export interface RemoteQueue extends Queue {
  /** Makes a backup on the server, in its backup folder. */
  backup(input?: BackupInput): Promise<BackupRecord>
}

/** Not a verb: only a server has it. */
const BACKUP = { path: 'backup', type: 'mutation' } as const

/** `url` is the address of the server (`http://127.0.0.1:3000`) or of its API, which ends in `/trpc`. */
export function openRemoteQueue(
  { url: given, token }: Address,
  timeouts: Partial<Timeouts> = {},
  connect: Connect = fetchTransport,
): RemoteQueue {
  rejectCredentials(given)
  const url = given.replace(/\/+(trpc\/*)?$/, '')
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const transport = connect(`${url}/trpc`, { 'content-type': 'application/json', ...authorization })
  const server = serverCalls(url, transport, timeouts)
  const verbs = defineVerbs(VERB_NAMES, server.call)

  return {
    ...verbs,
    address: { url, token },
    claim: (input, { signal } = {}) => unlessAborted(verbs.claim(input, { signal }), [], signal),
    async exchange(input, { signal } = {}) {
      const { settled, ...claimed } = await server.send<ExchangedData>('exchange', VERBS.exchange, input, signal)
      return { settled: settled.map(fromSettledData), ...claimed }
    },
    export: server.export,
    counts: async () => (await verbs.stats()).counts,
    async result(input, { signal } = {}) {
      const nothingYet = { outcomes: [], notYet: [...input.ids] }
      return unlessAborted(verbs.result(input, { signal }), nothingYet, signal)
    },
    backup: (input) => server.send('backup', BACKUP, input),
    close: async () => transport.close(),
  }
}

/** An aborted call resolves with `empty` instead of rejecting. */
function unlessAborted<Result>(call: Promise<Result>, empty: Result, signal: AbortSignal | undefined) {
  return call.catch((error: unknown) => {
    if (signal?.aborted) return empty
    throw error
  })
}

/** `fetch` does not accept credentials in a URL, and error messages would show the password. */
function rejectCredentials(url: string): void {
  if (!URL.canParse(url)) return
  const { username, password } = new URL(url)
  if (username === '' && password === '') return
  throw new QueueError('BAD_INPUT', 'The server URL contains a user name or password; remove it and pass a token.')
}

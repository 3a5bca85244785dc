/** The queue behind a server's address: every verb is the procedure of the same meaning, every refusal the same QueueError. */
import type { BackupInput } from '../../../shared/contracts/operate.ts'
import { QueueError } from '../../../shared/errors.ts'
import type { MadeBackup } from '../../api/context.ts'
import type { Settled } from '../../api/procedures/work.ts'
import type { SettleOutcome } from '../../engine/verbs/work.ts'
import type { Address, Queue } from '../../queue/queue.ts'
import { type Patience, ServerCalls } from './server-calls.ts'

/** What only a server can do. */
export interface RemoteQueue extends Queue {
  /** Made by the server, where it says; a name in its folder for backups. */
  backup(input?: BackupInput): Promise<MadeBackup>
}

/** `url` is that of the server, as a browser would be given it, `http://127.0.0.1:3000`, or of its API, with `/trpc`. */
export function openRemoteQueue({ url: given, token }: Address, patience: Partial<Patience> = {}): RemoteQueue {
  refuseCredentials(given)
  const url = given.replace(/\/+$/, '').replace(/\/trpc$/, '')
  const server = new ServerCalls({ url, token }, patience)

  return {
    address: { url, token },
    enqueue: (input) => server.call('enqueue', input),
    enqueueMany: ({ jobs }) => server.call('enqueueMany', { jobs: [...jobs] }),

    async claim(input, { signal } = {}) {
      if (signal?.aborted) return []
      return (await orNothing(server.call('claim', input, { signal }), [], signal)).map(withPayload)
    },
    async exchange(input, { signal } = {}) {
      const { settled, jobs, timing } = await server.call('exchange', input, { signal })
      return { settled: settled.map(toOutcome), jobs: jobs.map(withPayload), ...(timing && { timing }) }
    },
    heartbeat: (input, { signal } = {}) => server.call('heartbeat', input, { signal }),
    cancellations: (input, { signal } = {}) => server.call('cancellations', input, { signal }),
    complete: (input) => server.call('complete', input),
    fail: (input) => server.call('fail', input),
    release: (input) => server.call('release', input),
    progress: (input, { signal } = {}) => server.call('progress', input, { signal }),
    log: (input, { signal } = {}) => server.call('log', input, { signal }),

    async get(input) {
      const job = await server.call('get', input)
      return { ...job, payload: job.payload, result: job.result }
    },
    list: (input) => server.call('list', input),
    async *export(filter) {
      yield* server.export(filter)
    },
    holders: (input) => server.call('holders', input),
    counts: async () => (await server.call('stats')).counts,
    stats: (input) => server.call('stats', input),
    history: (input) => server.call('history', input),
    depths: (input) => server.call('depths', input),
    async result(input, { signal } = {}) {
      const nothingYet = { outcomes: [], notYet: [...input.ids] }
      const answer = await orNothing(server.call('result', input, { signal }), nothingYet, signal)
      const outcomes = answer.outcomes.map((one) => (one.status === 'completed' ? { ...one, result: one.result } : one))
      return { outcomes, notYet: answer.notYet }
    },
    explain: (input) => server.call('explain', input),
    attempts: (input) => server.call('attempts', input),
    logs: (input) => server.call('logs', input),
    types: () => server.call('types.list'),
    type: (input) => server.call('types.get', input),
    settings: () => server.call('settings.get'),
    workers: () => server.call('workers.list'),
    failureGroups: (input) => server.call('failures.groups', input),
    countBulk: (input) => server.call('bulk.count', input),
    bulk: (input) => server.call('bulk.status', input),
    auditTrail: async (input) =>
      (await server.call('audit.list', input)).map((row) => ({ ...row, details: row.details })),
    facts: () => server.call('facts'),

    // The server knows by the token who is acting: a name given here would only be a claim.
    retry: ({ id }) => server.call('retry', { id }),
    runNow: ({ id }) => server.call('runNow', { id }),
    cancel: ({ id }) => server.call('cancel', { id }),
    remove: ({ id }) => server.call('remove', { id }),
    cleanup: ({ actor: _, ...input } = {}) => server.call('cleanup', input),
    declareTypes: ({ actor: _, ...input }, { signal } = {}) => server.call('types.declare', input, { signal }),
    updateType: ({ actor: _, ...input }) => server.call('types.update', input),
    pauseType: ({ name }) => server.call('types.pause', { name }),
    resumeType: ({ name }) => server.call('types.resume', { name }),
    updateSettings: ({ actor: _, ...input }) => server.call('settings.update', input),
    pause: () => server.call('settings.pause'),
    resume: () => server.call('settings.resume'),
    drainWorker: ({ actor: _, ...input }) => server.call('workers.drain', input),
    startBulk: ({ actor: _, ...input }) => server.call('bulk.start', input),
    cancelBulk: ({ id }) => server.call('bulk.cancel', { id }),
    undoBulk: ({ id }) => server.call('bulk.undo', { id }),
    createToken: ({ actor: _, scopes, ...input }) => server.call('tokens.create', { ...input, scopes: [...scopes] }),
    tokens: () => server.call('tokens.list'),
    revokeToken: ({ id }) => server.call('tokens.revoke', { id }),
    backup: (input) => server.call('backup', input),
    close: async () => {},
  }
}

/** The wire's types say that what may be anything may also be missing; the server always sends it. */
function withPayload<Sent extends { readonly payload?: unknown }>(job: Sent) {
  return { ...job, payload: job.payload }
}

/** Whoever hangs up wants no answer, and no error either. */
async function orNothing<Answer>(call: Promise<Answer>, nothing: Answer, signal: AbortSignal | undefined) {
  try {
    return await call
  } catch (error) {
    if (signal?.aborted) return nothing
    throw error
  }
}

function toOutcome(settled: Settled): SettleOutcome {
  if (settled.ok) return settled
  const { code, message, details: given } = settled.error
  return { ok: false, error: new QueueError(code, message, given) }
}

/** `fetch` takes no such address, and every message would show the password. */
function refuseCredentials(url: string): void {
  if (!URL.canParse(url)) return
  const { username, password } = new URL(url)
  if (username === '' && password === '') return
  throw new QueueError('BAD_INPUT', 'The address of a server has no user and no password; give it a token instead.')
}

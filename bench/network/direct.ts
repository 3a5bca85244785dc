/** Lone calls of the standard tRPC client: the direct handler, the stock adapter and bare node:http. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { interleave, median, ratio } from '../harness/measure.ts'
import { payloadOf } from '../harness/payload-of.ts'
import { cpuMicrosOf } from '../harness/process-use.ts'
import { SERVER, type ServerChild, startChild } from '../harness/server-child.ts'
import { figure, type Table, times } from '../harness/table.ts'
import { callFor } from '../harness/turn.ts'
import { connect, type Remote } from './remote.ts'

const BARE = new URL('./trpc-echo-server.js', import.meta.url)
const SERVERS = ['direct', 'stock', 'bare'] as const
const CALLS = ['get', 'enqueue'] as const
const JOB = { type: 'lone', payload: payloadOf(200) }

type ServerName = (typeof SERVERS)[number]
type CallName = (typeof CALLS)[number]

interface Figure {
  readonly callsPerSecond: number
  readonly calls: number
  /** CPU time of the server; null where it cannot be read. */
  readonly serverMicros: number | null
}

/** By round. */
export type DirectFigures = Readonly<Record<CallName, Readonly<Record<ServerName, readonly Figure[]>>>>

export interface DirectOptions {
  readonly rounds: { readonly warmUp: number; readonly counted: number }
  readonly turnMs: number
}

export async function measureDirect(folder: string, { rounds, turnMs }: DirectOptions): Promise<DirectFigures> {
  const started = new Map<ServerName, ServerChild>()
  const start = async (name: ServerName): Promise<Remote> => {
    const cwd = join(folder, `lone-${name}`)
    mkdirSync(cwd)
    const server = await (name === 'bare' ? startChild(BARE, cwd) : startChild(SERVER, cwd, settingsOf(name, cwd)))
    started.set(name, server)
    return connect(server.url).single
  }
  try {
    const remotes = { direct: await start('direct'), stock: await start('stock'), bare: await start('bare') }
    // The echo returns its input, which has no id; any id does for it.
    const ids = {
      direct: (await remotes.direct.enqueue.mutate(JOB)).id,
      stock: (await remotes.stock.enqueue.mutate(JOB)).id,
      bare: '00000000-0000-7000-8000-000000000000',
    }
    const measure = (call: (name: ServerName) => Promise<unknown>) => {
      const turn = (name: ServerName) => () => oneTurn(turnMs, started.get(name)?.pid, () => call(name))
      return interleave({ direct: turn('direct'), stock: turn('stock'), bare: turn('bare') }, rounds)
    }
    return {
      get: await measure((name) => remotes[name].get.query({ id: ids[name] })),
      enqueue: await measure((name) => remotes[name].enqueue.mutate(JOB)),
    }
  } finally {
    for (const server of started.values()) await server.stop()
  }
}

async function oneTurn(turnMs: number, pid: number | undefined, call: () => Promise<unknown>): Promise<Figure> {
  const readCpu = () => (pid === undefined ? null : cpuMicrosOf(pid))
  const before = readCpu()
  const startedAt = performance.now()
  const calls = await callFor(1, turnMs, call)
  const seconds = (performance.now() - startedAt) / 1_000
  const after = readCpu()
  const serverMicros = before === null || after === null ? null : after - before
  return { callsPerSecond: calls / seconds, calls, serverMicros }
}

const ratesOf = (rounds: readonly Figure[]) => rounds.map(({ callsPerSecond }) => callsPerSecond)

/** Microseconds per call over all rounds: Linux counts CPU time in steps of 10 ms. */
function serverMicrosOf(rounds: readonly Figure[]): number {
  const micros = rounds.reduce((sum, { serverMicros }) => sum + (serverMicros ?? Number.NaN), 0)
  return micros / rounds.reduce((sum, { calls }) => sum + calls, 0)
}

function settingsOf(name: 'direct' | 'stock', cwd: string): Readonly<Record<string, string>> {
  return { DB_PATH: join(cwd, 'queue.db'), PORT: '0', DIRECT_TRPC: name === 'direct' ? 'on' : 'off' }
}

/** Least ratios of a lone call through the direct handler. */
const TARGETS = [
  { of: 'stock', least: 5, name: 'the stock adapter' },
  { of: 'bare', least: 0.4, name: 'bare node:http' },
] as const

/** Ratios of the calls per second, each the median of the ratios per round, judged before rounding. */
export function directTargets(figures: DirectFigures): Table {
  const rows = CALLS.flatMap((call) =>
    TARGETS.map(({ of, least, name }) => {
      const share = ratio(ratesOf(figures[call].direct), ratesOf(figures[call][of]))
      return [call, `≥ ${least} × ${name}`, times(share), share >= least ? 'yes' : 'NO']
    }),
  )
  return {
    title: 'Network: targets of a lone call of the stock tRPC client through the direct handler, calls/s',
    head: ['', 'target', 'measured', 'met'],
    rows,
    notes: ['judged before rounding; enqueue waits for its fsync, get only reads'],
  }
}

export function directTable(figures: DirectFigures, { rounds }: DirectOptions): Table {
  return {
    title: 'Network: one caller, one call at a time by the standard httpLink, calls/s',
    head: ['', 'direct handler', 'stock adapter', 'bare node:http', 'direct / stock', 'direct / bare'],
    rows: CALLS.map((call) => {
      const { direct, stock, bare } = figures[call]
      return [
        call,
        ...[direct, stock, bare].map((rounds) => figure(median(ratesOf(rounds)))),
        times(ratio(ratesOf(direct), ratesOf(stock))),
        times(ratio(ratesOf(direct), ratesOf(bare))),
      ]
    }),
    notes: [
      'the server with DIRECT_TRPC=on and off; bare: an echo without router, checks or database',
      `medians of ${rounds.counted} interleaved rounds`,
    ],
  }
}

/** The share of the server in the time of a call; most of it is spent in the client. */
export function directCpuTable(figures: DirectFigures): Table {
  return {
    title: 'Network: CPU time of the server for one call of the standard httpLink, µs',
    head: ['', 'direct handler', 'stock adapter', 'bare node:http', 'stock / direct'],
    rows: CALLS.map((call) => {
      const [direct, stock, bare] = SERVERS.map((name) => serverMicrosOf(figures[call][name]))
      const cells = [direct, stock, bare].map((micros) => figure(micros ?? Number.NaN))
      return [call, ...cells, times((stock ?? Number.NaN) / (direct ?? Number.NaN))]
    }),
    notes: ['the same calls as above, over all rounds'],
  }
}

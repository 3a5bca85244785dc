/** Lone calls of the standard tRPC client: the direct handler, the stock adapter and bare node:http. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { interleave, median, ratio } from '../harness/measure.ts'
import { payloadOf } from '../harness/payload-of.ts'
import { SERVER, type ServerChild, startChild } from '../harness/server-child.ts'
import { figure, type Table, times } from '../harness/table.ts'
import { callsPerSecond } from '../harness/turn.ts'
import { connect, type Remote } from './remote.ts'

const BARE = new URL('./trpc-echo-server.js', import.meta.url)
const SERVERS = ['direct', 'stock', 'bare'] as const
const CALLS = ['get', 'enqueue'] as const
const JOB = { type: 'lone', payload: payloadOf(200) }

type ServerName = (typeof SERVERS)[number]
type CallName = (typeof CALLS)[number]

/** Calls per second by round. */
export type DirectFigures = Readonly<Record<CallName, Readonly<Record<ServerName, readonly number[]>>>>

export interface DirectOptions {
  readonly rounds: { readonly warmUp: number; readonly counted: number }
  readonly turnMs: number
}

export async function measureDirect(folder: string, { rounds, turnMs }: DirectOptions): Promise<DirectFigures> {
  const started: ServerChild[] = []
  const start = async (name: ServerName): Promise<Remote> => {
    const cwd = join(folder, `lone-${name}`)
    mkdirSync(cwd)
    const server = await (name === 'bare' ? startChild(BARE, cwd) : startChild(SERVER, cwd, settingsOf(name, cwd)))
    started.push(server)
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
      const turn = (name: ServerName) => () => callsPerSecond(1, turnMs, () => call(name))
      return interleave({ direct: turn('direct'), stock: turn('stock'), bare: turn('bare') }, rounds)
    }
    return {
      get: await measure((name) => remotes[name].get.query({ id: ids[name] })),
      enqueue: await measure((name) => remotes[name].enqueue.mutate(JOB)),
    }
  } finally {
    for (const server of started) await server.stop()
  }
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
      const share = ratio(figures[call].direct, figures[call][of])
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
        ...[direct, stock, bare].map((rates) => figure(median(rates))),
        times(ratio(direct, stock)),
        times(ratio(direct, bare)),
      ]
    }),
    notes: [
      'the server with DIRECT_TRPC=on and off; bare: an echo without router, checks or database',
      `medians of ${rounds.counted} interleaved rounds`,
    ],
  }
}

/** Child process of one system: its client and worker run here, so that systems share no heap and no event loop. */
import { z } from 'zod'
import { fdatasyncMs } from '../harness/fsync.ts'
import { payloadOf } from '../harness/payload-of.ts'
import { ADAPTERS } from './adapters.ts'
import { type Figure, type LoneEnqueue, loneEnqueue, MEASURES, measure, type Rates } from './measures.ts'
import { type BeginSpan, spansOf } from './span.ts'
import type { Session } from './system.ts'

const PAYLOAD_BYTES = 200
/** The first calls are slower than all later ones: connections, prepared statements, compilation. */
const LONE_SAMPLES = { untimed: 10, timed: 25 }

const open = z.object({
  adapter: z.custom<keyof typeof ADAPTERS>((name) => typeof name === 'string' && name in ADAPTERS),
  address: z.string(),
  /** On the disk of the system. */
  folder: z.string(),
  server: z.union([z.number(), z.literal('in process'), z.literal('unknown')]),
})
const turn = z.object({ measure: z.enum(MEASURES), turnMs: z.number() })

export type SystemOrder = z.infer<typeof open> | z.infer<typeof turn>

export type SystemAnswer =
  | { readonly ok: true; readonly lone: LoneEnqueue }
  | { readonly ok: true; readonly figure: Figure }
  | { readonly ok: false; readonly error: string }

const rates: Rates = new Map()
let opened: { readonly session: Session; readonly begin: BeginSpan } | null = null

async function obey(order: unknown): Promise<SystemAnswer> {
  if (!opened) {
    const { adapter, address, folder, server } = open.parse(order)
    const session = await ADAPTERS[adapter](address, payloadOf(PAYLOAD_BYTES))
    opened = { session, begin: spansOf(server) }
    const syncMs = () => fdatasyncMs(folder)
    await loneEnqueue(session, LONE_SAMPLES.untimed, syncMs)
    return { ok: true, lone: await loneEnqueue(session, LONE_SAMPLES.timed, syncMs) }
  }
  const { measure: name, turnMs } = turn.parse(order)
  // Keeps the garbage of one turn out of the next.
  globalThis.gc?.()
  return { ok: true, figure: await measure(name, { ...opened, turnMs, rates }) }
}

process.on('message', (order) => {
  obey(order)
    .catch((error): SystemAnswer => ({ ok: false, error: error instanceof Error ? describe(error) : String(error) }))
    .then((answer) => process.send?.(answer))
})
process.on('disconnect', () => process.exit())

function describe({ message, cause }: Error): string {
  return cause instanceof Error ? `${message} ${describe(cause)}` : message
}

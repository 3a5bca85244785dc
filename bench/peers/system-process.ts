/** Child process of one system: its client and worker run here, so that systems share no heap and no event loop. */
import { z } from 'zod'
import { payloadOf } from '../harness/payload-of.ts'
import { ADAPTERS } from './adapters.ts'
import { type Figure, loneEnqueueMs, MEASURES, measure, type Rates } from './measures.ts'
import type { Session } from './system.ts'

const PAYLOAD_BYTES = 200
/** The first calls are slower than all later ones: connections, prepared statements, compilation. */
const LONE_SAMPLES = { untimed: 10, timed: 25 }

const open = z.object({
  adapter: z.custom<keyof typeof ADAPTERS>((name) => typeof name === 'string' && name in ADAPTERS),
  address: z.string(),
})
const turn = z.object({ measure: z.enum(MEASURES), turnMs: z.number() })

export type SystemOrder = z.infer<typeof open> | z.infer<typeof turn>

export type SystemAnswer =
  | { readonly ok: true; readonly loneEnqueueMs: number }
  | { readonly ok: true; readonly figure: Figure & { readonly cpuMicros: number } }
  | { readonly ok: false; readonly error: string }

const rates: Rates = new Map()
let session: Session | null = null

async function obey(order: unknown): Promise<SystemAnswer> {
  if (!session) {
    const { adapter, address } = open.parse(order)
    session = await ADAPTERS[adapter](address, payloadOf(PAYLOAD_BYTES))
    await loneEnqueueMs(session, LONE_SAMPLES.untimed)
    return { ok: true, loneEnqueueMs: await loneEnqueueMs(session, LONE_SAMPLES.timed) }
  }
  const { measure: name, turnMs } = turn.parse(order)
  // Keeps the garbage of one turn out of the next.
  globalThis.gc?.()
  const before = process.cpuUsage()
  const figure = await measure(name, session, turnMs, rates)
  const { user, system } = process.cpuUsage(before)
  return { ok: true, figure: { ...figure, cpuMicros: user + system } }
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

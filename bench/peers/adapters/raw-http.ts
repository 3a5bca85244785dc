/** The limit over the network: SQLite with group commit behind node:http, and a client that coalesces calls or does not. */
import { CoalescingClient, type Limits } from '../limits/coalescing-client.ts'
import { rawSession } from '../limits/raw-session.ts'
import type { Adapter, Session } from '../system.ts'

/** As many connections as there are callers. */
const ONE_BY_ONE: Limits = { callsPerRequest: 1, requestsInFlight: 64 }

export const openRawHttp: Adapter = (address, payload) => open(new CoalescingClient(address), payload)

export const openRawHttpOneByOne: Adapter = (address, payload) =>
  open(new CoalescingClient(address, ONE_BY_ONE), payload)

async function open(client: CoalescingClient, payload: object): Promise<Session> {
  return rawSession(client, payload, async () => client.close())
}

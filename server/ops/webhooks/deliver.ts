/** One delivery: tells a receiver of a failure, signed, once per attempt; anything but a 2xx is tried again later. */
import { createHmac } from 'node:crypto'
import { z } from 'zod'
import { SECOND } from '../../../shared/limits.ts'
import { webhookFor } from '../../../shared/webhooks.ts'
import type { Clock } from '../../base/clock.ts'
import { VERSION } from '../../base/version.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Handler } from '../../worker/jobs/handler.ts'

export const TIMEOUT_MS = 10 * SECOND

const notice = z.looseObject({ event: z.string(), job: z.looseObject({ type: z.string() }) })

/** Meant for people: where in our code it was thrown is of no interest to them. */
class NotDelivered extends Error {
  override readonly name = 'NotDelivered'

  constructor(message: string) {
    super(message)
    this.stack = message
  }
}

export function deliverer(engine: Pick<Engine, 'webhooks'>, clock: Clock): Handler {
  return async ({ id, payload, signal }) => {
    const told = notice.parse(payload)
    // Read now: an operator who mends an address mends what is still to be delivered.
    const { settings } = await engine.webhooks()
    const url = webhookFor(told.job.type, settings)
    if (url === null) return { skipped: 'no webhook is set for this type any more' }
    const body = JSON.stringify({ id, ...told })
    const headers = {
      'content-type': 'application/json',
      'user-agent': `millrace/${VERSION}`,
      'millrace-event': told.event,
      'millrace-webhook-id': id,
      ...(settings.webhookSecret && { 'millrace-signature': sign(settings.webhookSecret, body, clock.now()) }),
    }
    return { status: await post(url, { headers, body, signal }, clock) }
  }
}

/** `t` is in seconds; a receiver that refuses old ones cannot be told the same news twice by whoever listened in. */
export function sign(secret: string, body: string, now: number): string {
  const t = Math.floor(now / SECOND)
  return `t=${t},v1=${createHmac('sha256', secret).update(`${t}.${body}`).digest('hex')}`
}

interface Sent {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly signal: AbortSignal
}

async function post(url: string, { headers, body, signal }: Sent, clock: Clock): Promise<number> {
  // An address may hold a secret in its path: who is meant is all that goes into the job's error.
  const { host } = new URL(url)
  const timeout = new AbortController()
  const timer = clock.after(TIMEOUT_MS, () => timeout.abort())
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body,
      // Whoever answers for that address is not let to point us at another.
      redirect: 'manual',
      signal: AbortSignal.any([signal, timeout.signal]),
    })
    // Nothing of the answer is wanted but its status.
    await response.body?.cancel().catch(() => {})
    if (!response.ok) throw new NotDelivered(`${host} answered ${response.status}`)
    return response.status
  } catch (error) {
    if (error instanceof NotDelivered) throw error
    if (timeout.signal.aborted) throw new NotDelivered(`${host} did not answer within ${TIMEOUT_MS / SECOND} s`)
    throw new NotDelivered(`${host} could not be reached: ${reasonOf(error)}`)
  } finally {
    timer.cancel()
  }
}

/** `fetch failed` has a cause that says why. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause === undefined ? error.message : reasonOf(error.cause)
}

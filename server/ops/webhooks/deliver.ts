/** Webhook delivery: one signed POST per attempt; any status but 2xx is retried. */
import { createHmac } from 'node:crypto'
import { z } from 'zod'
import { SECOND } from '../../../shared/limits.ts'
import { webhookFor } from '../../../shared/settings/webhooks.ts'
import type { Clock } from '../../base/clock.ts'
import { VERSION } from '../../base/version.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Handler } from '../../worker/jobs/handler.ts'

export const TIMEOUT_MS = 10 * SECOND

const webhookBody = z.looseObject({ event: z.string(), job: z.looseObject({ type: z.string() }) })

/** Has no stack: its message is enough for operators. */
class DeliveryError extends Error {
  override readonly name = 'DeliveryError'

  constructor(message: string) {
    super(message)
    this.stack = message
  }
}

export function createDeliveryHandler(engine: Pick<Engine, 'webhooks'>, clock: Clock): Handler {
  return async ({ id, payload, signal }) => {
    const event = webhookBody.parse(payload)
    // Read at delivery time: a corrected address also applies to open deliveries.
    const { settings } = await engine.webhooks()
    const url = webhookFor(event.job.type, settings)
    if (url === null) return { skipped: 'no webhook is configured for this type any more' }
    const body = JSON.stringify({ id, ...event })
    const headers = {
      'content-type': 'application/json',
      'user-agent': `millrace/${VERSION}`,
      'millrace-event': event.event,
      'millrace-webhook-id': id,
      ...(settings.webhookSecret && { 'millrace-signature': sign(settings.webhookSecret, body, clock.now()) }),
    }
    return { status: await post(url, { headers, body, signal }, clock) }
  }
}

/** `t` is in seconds. A receiver that rejects old values is safe from replays. */
export function sign(secret: string, body: string, now: number): string {
  const t = Math.floor(now / SECOND)
  return `t=${t},v1=${createHmac('sha256', secret).update(`${t}.${body}`).digest('hex')}`
}

interface WebhookRequest {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly signal: AbortSignal
}

async function post(url: string, { headers, body, signal }: WebhookRequest, clock: Clock): Promise<number> {
  // The URL may contain a secret, so errors name only the host.
  const { host } = new URL(url)
  const timeout = new AbortController()
  const timer = clock.after(TIMEOUT_MS, () => timeout.abort())
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body,
      // A redirect could lead to a private address.
      redirect: 'manual',
      signal: AbortSignal.any([signal, timeout.signal]),
    })
    // Only the status is used.
    await response.body?.cancel().catch(() => {})
    if (!response.ok) throw new DeliveryError(`${host} responded with status ${response.status}`)
    return response.status
  } catch (error) {
    if (error instanceof DeliveryError) throw error
    if (timeout.signal.aborted) throw new DeliveryError(`${host} did not respond within ${TIMEOUT_MS / SECOND} s`)
    throw new DeliveryError(`${host} is unreachable: ${reasonOf(error)}`)
  } finally {
    timer.cancel()
  }
}

/** The cause of `fetch failed` has the reason. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause === undefined ? error.message : reasonOf(error.cause)
}

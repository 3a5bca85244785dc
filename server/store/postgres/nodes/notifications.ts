/** NOTIFY between nodes, on separate connections: NOTIFY takes a lock at commit that commits must not wait for. */
import { Client, type Pool } from 'pg'

const CHANNEL = 'millrace'
const CONNECT_TIMEOUT_MS = 10_000
/** TCP keep-alive probes start after this idle time. */
const KEEP_ALIVE_MS = 10_000

export interface NotificationOptions {
  readonly url: string
  readonly pool: Pool
  /** Id of this node: its own notifications are ignored. */
  readonly node: string
  readonly onLost: () => void
}

export class NodeNotifications {
  private readonly options: NotificationOptions
  private onNotification: (() => void) | null = null
  private client: Client | null = null

  constructor(options: NotificationOptions) {
    this.options = options
  }

  async send(): Promise<void> {
    const { pool, node } = this.options
    await pool.query({ name: 'notify', text: 'SELECT pg_notify($1, $2)', values: [CHANNEL, node] })
  }

  async listen(onNotification: () => void): Promise<() => Promise<void>> {
    this.onNotification = onNotification
    await this.reconnect()
    return async () => {
      this.onNotification = null
      await this.client?.end()
      this.client = null
    }
  }

  /** Connects again after the connection was lost. Until then polling finds all changes. */
  async reconnect(): Promise<void> {
    if (!this.onNotification || this.client) return
    const client = new Client({
      connectionString: this.options.url,
      application_name: 'millrace hints',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    })
    this.client = client
    const lost = () => {
      if (this.client !== client) return
      this.client = null
      this.options.onLost()
    }
    client.on('error', lost).on('end', lost)
    client.on('notification', ({ payload }) => {
      if (payload !== this.options.node) this.onNotification?.()
    })
    try {
      await client.connect()
      await client.query(`LISTEN ${CHANNEL}`)
    } catch {
      // Polling does not depend on notifications; the next poll reconnects.
      lost()
      await client.end().catch(() => {})
    }
  }
}

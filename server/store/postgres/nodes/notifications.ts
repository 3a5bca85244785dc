/** Hints between nodes by NOTIFY, on connections of their own: it takes a lock at commit that no commit of ours should wait for. */
import { Client, type Pool } from 'pg'

const CHANNEL = 'millrace'
const CONNECT_TIMEOUT_MS = 10_000
/** A line that says nothing for so long is felt for. */
const KEEP_ALIVE_MS = 10_000

export class HintLine {
  private readonly url: string
  private readonly pool: Pool
  /** Which node a hint comes from: our own are no news. */
  private readonly node: string
  private readonly onLost: () => void
  private onHint: (() => void) | null = null
  private client: Client | null = null

  constructor(url: string, pool: Pool, node: string, onLost: () => void) {
    this.url = url
    this.pool = pool
    this.node = node
    this.onLost = onLost
  }

  async send(): Promise<void> {
    await this.pool.query({ name: 'hint', text: 'SELECT pg_notify($1, $2)', values: [CHANNEL, this.node] })
  }

  async listen(onHint: () => void): Promise<() => Promise<void>> {
    this.onHint = onHint
    await this.mend()
    return async () => {
      this.onHint = null
      await this.client?.end()
      this.client = null
    }
  }

  /** Connects again after the line was lost; until then polling finds everything. */
  async mend(): Promise<void> {
    if (!this.onHint || this.client) return
    const client = new Client({
      connectionString: this.url,
      application_name: 'millrace hints',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    })
    this.client = client
    const lost = () => {
      if (this.client !== client) return
      this.client = null
      this.onLost()
    }
    client.on('error', lost).on('end', lost)
    client.on('notification', ({ payload }) => {
      if (payload !== this.node) this.onHint?.()
    })
    try {
      await client.connect()
      await client.query(`LISTEN ${CHANNEL}`)
    } catch {
      // Polling is the truth; the next poll tries again.
      lost()
      await client.end().catch(() => {})
    }
  }
}

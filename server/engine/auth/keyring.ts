/** The keyring: all tokens of the database in memory, refreshed every second. */
import { MINUTE, SECOND } from '../../../shared/limits.ts'
import type { Clock } from '../../base/clock.ts'
import type { StoredToken } from '../../store/records.ts'
import type { Store } from '../../store/store.ts'
import type { GroupCommit } from '../commit/group-commit.ts'
import type { StoreTime } from '../commit/store-time.ts'

/** How long a token revoked on another node is still accepted here. */
const FRESH_MS = SECOND
/** Timeout of a refresh. After it the tokens read last stay in force. */
const REFRESH_TIMEOUT_MS = 2 * SECOND
/** Resolution of `lastUsedAt`. */
const USED_EVERY_MS = MINUTE

export interface Key {
  readonly token: StoredToken
  readonly isExpired: boolean
}

export interface KeyringParts {
  readonly store: Pick<Store, 'tokens'>
  readonly commits: Pick<GroupCommit, 'submit'>
  readonly clock: Clock
  readonly time: StoreTime
}

export class Keyring {
  private readonly parts: KeyringParts
  private byHash = new Map<string, StoredToken>()
  private byId = new Map<string, StoredToken>()
  private readAt: number | null = null
  private reading: Promise<void> | null = null
  /** Number of changes on this node. A read that began before the latest change is discarded. */
  private change = 0
  private readonly usedAt = new Map<string, number>()

  constructor(parts: KeyringParts) {
    this.parts = parts
  }

  /** Call before authentication. Rejects on a database error only when no tokens were ever read. */
  async refresh(): Promise<void> {
    const { clock } = this.parts
    if (this.readAt !== null && clock.monotonic() - this.readAt < FRESH_MS) return
    this.reading ??= this.read()
    const { reading } = this
    if (this.readAt === null) return reading
    let expire = () => {}
    const timeout = new Promise<void>((resolve) => {
      expire = resolve
    })
    const timer = clock.after(REFRESH_TIMEOUT_MS, expire)
    await Promise.race([reading, timeout]).catch(() => {})
    timer.cancel()
  }

  /** Call when tokens changed on this node: the next authentication waits for a new read. */
  changed(): void {
    this.change += 1
    this.reading = null
    if (this.readAt !== null) this.readAt = Number.NEGATIVE_INFINITY
  }

  /** True when a token is required. An expired token counts: expiry must not open the server. */
  get isLocked(): boolean {
    return this.byHash.size > 0
  }

  find(hash: string): Key | null {
    return this.asKey(this.byHash.get(hash))
  }

  findById(id: string): Key | null {
    return this.asKey(this.byId.get(id))
  }

  /** Records the use of a token, at most once a minute, without waiting for the write. */
  used({ id, lastUsedAt }: StoredToken): void {
    const { clock, time, commits } = this.parts
    const now = clock.monotonic()
    if (now - (this.usedAt.get(id) ?? Number.NEGATIVE_INFINITY) < USED_EVERY_MS) return
    this.usedAt.set(id, now)
    if (lastUsedAt !== null && time.now() - lastUsedAt < USED_EVERY_MS) return
    commits.submit<'useTokens'>({ kind: 'useTokens', ids: [id] }, true).catch(() => {})
  }

  private asKey(token: StoredToken | undefined): Key | null {
    if (!token) return null
    return { token, isExpired: token.expiresAt !== null && token.expiresAt <= this.parts.time.now() }
  }

  private async read(): Promise<void> {
    const { change } = this
    const startedAt = this.parts.clock.monotonic()
    try {
      const tokens = await this.parts.store.tokens()
      if (change !== this.change) return
      this.byHash = new Map(tokens.map((token) => [token.hash, token]))
      this.byId = new Map(tokens.map((token) => [token.id, token]))
      for (const id of this.usedAt.keys()) if (!this.byId.has(id)) this.usedAt.delete(id)
      this.readAt = startedAt
    } catch (error) {
      // Read again in a second. Meanwhile each call gets its own error from the database.
      if (this.readAt === null) throw error
      if (change === this.change) this.readAt = startedAt
    } finally {
      if (change === this.change) this.reading = null
    }
  }
}

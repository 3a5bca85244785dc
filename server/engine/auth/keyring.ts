/** The tokens of this database as this node knows them: all in memory, never older than a second. */
import { MINUTE, SECOND } from '../../../shared/limits.ts'
import type { Clock } from '../../base/clock.ts'
import type { StoredToken } from '../../store/records.ts'
import type { Store } from '../../store/store.ts'
import type { GroupCommit } from '../commit/group-commit.ts'
import type { StoreTime } from '../commit/store-time.ts'

/** How long a token that another node revoked may still open this one. */
const FRESH_MS = SECOND
/** A database that has gone silent makes nobody wait longer; what was known last holds until it answers. */
const PATIENCE_MS = 2 * SECOND
/** How exact `lastUsedAt` is. */
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
  /** Grows with every change on this node: a read that began before it is out of date. */
  private change = 0
  private readonly usedAt = new Map<string, number>()

  constructor(parts: KeyringParts) {
    this.parts = parts
  }

  /** Before anybody is let in. Knowing nothing yet, it fails where the database does. */
  async refresh(): Promise<void> {
    const { clock } = this.parts
    if (this.readAt !== null && clock.monotonic() - this.readAt < FRESH_MS) return
    this.reading ??= this.read()
    const { reading } = this
    if (this.readAt === null) return reading
    let giveUp = () => {}
    const silence = new Promise<void>((resolve) => {
      giveUp = resolve
    })
    const timer = clock.after(PATIENCE_MS, giveUp)
    await Promise.race([reading, silence]).catch(() => {})
    timer.cancel()
  }

  /** Tokens changed here: whoever comes next waits for the news. */
  changed(): void {
    this.change += 1
    this.reading = null
    if (this.readAt !== null) this.readAt = Number.NEGATIVE_INFINITY
  }

  /** There are tokens, so nobody comes in without one. One that has expired still locks the door. */
  get isLocked(): boolean {
    return this.byHash.size > 0
  }

  find(hash: string): Key | null {
    return this.asKey(this.byHash.get(hash))
  }

  findById(id: string): Key | null {
    return this.asKey(this.byId.get(id))
  }

  /** Somebody came in with it; written at most once a minute, and nobody waits for that. */
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
      // Asked again in a second; meanwhile every call learns for itself that the database is out of reach.
      if (this.readAt === null) throw error
      if (change === this.change) this.readAt = startedAt
    } finally {
      if (change === this.change) this.reading = null
    }
  }
}

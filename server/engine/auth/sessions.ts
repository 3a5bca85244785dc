/** Dashboard sessions, stored in the database for all nodes; a session ends with its token. */
import { randomBytes } from 'node:crypto'
import { HOUR, MINUTE } from '../../../shared/limits.ts'
import type { Store } from '../../store/store.ts'
import type { GroupCommit } from '../commit/group-commit.ts'
import type { StoreTime } from '../commit/store-time.ts'
import { digest, sameDigest } from './digest.ts'

export const SESSION_IDLE_MS = 12 * HOUR
const SEEN_EVERY_MS = MINUTE
/** 32 random bytes as base64url. */
const SECRET = /^[\w-]{43}$/

export interface SessionsParts {
  readonly store: Pick<Store, 'session'>
  readonly commits: GroupCommit
  readonly time: StoreTime
}

/** The credential of a session: a token of the database, or AUTH_TOKEN. */
export type SessionKey = { readonly tokenId: string } | { readonly rootToken: string }

export class Sessions {
  private readonly parts: SessionsParts
  private readonly seeing = new Set<string>()

  constructor(parts: SessionsParts) {
    this.parts = parts
  }

  /** Returns the secret for the cookie; only its digest is stored. */
  async open(key: SessionKey, actor: string, details: Readonly<Record<string, unknown>>): Promise<string> {
    const secret = randomBytes(32).toString('base64url')
    const proof = 'rootToken' in key ? proofOf(secret, key.rootToken) : null
    const tokenId = 'tokenId' in key ? key.tokenId : null
    const op = { id: digest(secret), tokenId, proof, idleMs: SESSION_IDLE_MS, actor, details }
    await this.parts.commits.submit<'openSession'>({ kind: 'openSession', ...op })
    return secret
  }

  /** Returns null when the session does not exist, has been idle for too long, or AUTH_TOKEN has changed. */
  async find(secret: string, rootToken: string | null): Promise<SessionKey | null> {
    if (!SECRET.test(secret)) return null
    const id = digest(secret)
    const row = await this.parts.store.session(id)
    const now = this.parts.time.now()
    if (!row || now - row.seenAt > SESSION_IDLE_MS) return null
    if (now - row.seenAt > SEEN_EVERY_MS) this.seen(id)
    if (row.tokenId !== null) return { tokenId: row.tokenId }
    if (rootToken === null || row.proof === null) return null
    return sameDigest(row.proof, proofOf(secret, rootToken)) ? { rootToken } : null
  }

  async close(secret: string, actor: string): Promise<void> {
    await this.parts.commits.submit<'closeSession'>({ kind: 'closeSession', id: digest(secret), actor })
  }

  /** Updates the time of last use, without waiting for the write. */
  private seen(id: string): void {
    if (this.seeing.has(id)) return
    this.seeing.add(id)
    this.parts.commits
      .submit<'seeSession'>({ kind: 'seeSession', id }, true)
      .catch(() => {})
      .finally(() => this.seeing.delete(id))
  }
}

/** Salted with the cookie's secret, because AUTH_TOKEN may be short enough to guess from an unsalted digest. */
function proofOf(secret: string, rootToken: string): string {
  return digest(`${secret}:${rootToken}`)
}

/** Auth state of this page: updated by every rejected request and every read of the session. */
import { createStore, useStore } from '../lib/store.ts'

/** signed-out: the server requires sign-in. forbidden: the user is known and has no access. */
export type AuthState = 'allowed' | 'signed-out' | 'forbidden'

class AuthStateStore {
  private readonly store = createStore<AuthState>('allowed')
  private readonly rechecks = new Set<() => void>()
  private lastRequest = 0
  private lastApplied = 0

  /** Numbers a request. The response of an older request never overwrites that of a newer one. */
  nextRequest(): number {
    this.lastRequest += 1
    return this.lastRequest
  }

  readonly get = this.store.get
  readonly subscribe = this.store.subscribe

  /** `recheck` reads the session again; it runs after a rejection of unknown cause. */
  onRecheck(recheck: () => void): () => void {
    this.rechecks.add(recheck)
    return () => void this.rechecks.delete(recheck)
  }

  update(state: AuthState, request: number): void {
    if (request < this.lastApplied) return
    this.lastApplied = request
    if (state !== this.store.get()) this.store.set(state)
  }

  recheck(): void {
    for (const recheck of this.rechecks) recheck()
  }

  signedIn(): void {
    this.update('allowed', this.nextRequest())
    this.recheck()
  }
}

export const authStore = new AuthStateStore()

export function useAuthState(): AuthState {
  return useStore(authStore)
}

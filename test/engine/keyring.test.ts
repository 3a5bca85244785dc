/** Token cache of a node: refreshed every second, own changes at once, last use written once a minute. */
import { expect, it } from 'vitest'
import { digest } from '../../server/engine/auth/digest.ts'
import { Keyring } from '../../server/engine/auth/keyring.ts'
import { StoreTime } from '../../server/engine/commit/store-time.ts'
import type { Engine } from '../../server/engine/engine.ts'
import { HOUR, MINUTE, SECOND } from '../../shared/limits.ts'
import { describeEngine, refused } from '../support/engine.ts'
import { START, settle, TestClock } from '../support/test-clock.ts'

async function knows({ keyring }: Engine, secret: string): Promise<boolean> {
  await keyring.refresh()
  return keyring.find(digest(secret)) !== null
}

describeEngine('tokens', (open) => {
  it('a token is a secret of 32 random bytes, stored only as a digest', async () => {
    const { engine, store } = await open()
    const made = await engine.createToken({ scopes: ['work', 'work'], actor: 'ada' })
    expect(made).toMatchObject({ name: `token-${made.id.slice(-8)}`, scopes: ['work'], typePrefix: null })
    expect(made.token).toMatch(/^mr_[\w-]{43}$/)
    const [stored] = await store.tokens()
    expect(stored?.hash).toBe(digest(made.token))
    expect(JSON.stringify([stored, await engine.tokens(), await engine.auditTrail()])).not.toContain(made.token)
    expect(JSON.stringify([await engine.tokens(), await engine.auditTrail()])).not.toContain(stored?.hash)
    expect((await refused(engine.createToken({ scopes: [] }))).code).toBe('BAD_INPUT')
    expect((await refused(engine.createToken({ scopes: ['read'], name: 'two\nlines' }))).code).toBe('BAD_INPUT')
  })

  it('tokens are read from the store at most once a second', async () => {
    const { engine, clock, store } = await open()
    const { token } = await engine.createToken({ scopes: ['read'] })
    store.reset()
    const answers = await Promise.all(Array.from({ length: 20 }, () => knows(engine, token)))
    expect([new Set(answers), store.calls('tokens')]).toEqual([new Set([true]), 1])
    await clock.advance(SECOND - 1)
    expect([await knows(engine, 'wrong'), store.calls('tokens')]).toEqual([false, 1])
    await clock.advance(1)
    expect([await knows(engine, token), store.calls('tokens')]).toEqual([true, 2])
  })

  it('a revoked token is rejected at once by this engine and within a second by others', async () => {
    const { engine, clock, another } = await open()
    const { engine: other } = await another()
    const { id, token } = await engine.createToken({ scopes: ['read'] })
    expect([await knows(engine, token), await knows(other, token)]).toEqual([true, true])
    await engine.revokeToken({ id })
    expect([await knows(engine, token), engine.keyring.isLocked]).toEqual([false, false])
    expect(await knows(other, token)).toBe(true)
    await clock.advance(SECOND)
    expect([await knows(other, token), other.keyring.isLocked]).toEqual([false, false])
  })

  it('an expired token is rejected, and authentication stays required', async () => {
    const { engine, clock } = await open()
    const { token } = await engine.createToken({ scopes: ['read'], expiresInMs: 5_000 })
    const isExpired = async () => {
      await engine.keyring.refresh()
      return engine.keyring.find(digest(token))?.isExpired
    }
    await clock.advance(4_999)
    expect(await isExpired()).toBe(false)
    await clock.advance(1)
    expect([await isExpired(), engine.keyring.isLocked]).toEqual([true, true])
  })

  it('the last use of a token is recorded once a minute, without delaying the caller', async () => {
    const { engine, clock, store } = await open()
    const { token } = await engine.createToken({ scopes: ['read'] })
    const use = async (by = engine) => {
      await by.keyring.refresh()
      const key = by.keyring.find(digest(token))
      if (key) by.keyring.used(key.token)
    }
    const lastUsedAt = async () => {
      await settle()
      return (await engine.tokens())[0]?.lastUsedAt
    }
    await clock.advance(7_000)
    for (let n = 0; n < 5; n++) await use()
    expect([await lastUsedAt(), store.count('useTokens')]).toEqual([START + 7_000, 1])
    await clock.advance(MINUTE - 1)
    await use()
    expect(store.count('useTokens')).toBe(1)
    await clock.advance(1)
    await use()
    expect([await lastUsedAt(), store.count('useTokens')]).toEqual([START + 7_000 + MINUTE, 2])
  })

  it('cached tokens stay valid while the database is unavailable', async () => {
    const { engine, clock } = await open()
    const { token } = await engine.createToken({ scopes: ['read'] })
    expect(await knows(engine, token)).toBe(true)
    await engine.close()
    await clock.advance(5_000)
    expect(await knows(engine, token)).toBe(true)
  })
})

it('a read that began before a revocation does not restore the token', async () => {
  const clock = new TestClock()
  const token = { id: 'one', name: 'one', hash: 'hash', scopes: [], typePrefix: null, createdAt: 1, lastUsedAt: null }
  const before = [{ ...token, expiresAt: null }]
  const looks: ((tokens: typeof before) => void)[] = []
  const keyring = new Keyring({
    store: { tokens: () => new Promise((resolve) => looks.push(resolve)) },
    commits: { submit: () => Promise.reject(new Error('nothing is written here')) },
    clock,
    time: new StoreTime(clock),
  })
  const first = keyring.refresh()
  looks[0]?.(before)
  await first
  await clock.advance(SECOND)
  const slow = keyring.refresh()
  keyring.changed()
  const next = keyring.refresh()
  looks[2]?.([])
  looks[1]?.(before)
  await Promise.all([slow, next])
  expect([looks.length, keyring.find('hash')]).toEqual([3, null])
})

describeEngine('sessions', (open) => {
  const root = { rootToken: 'a-root-token' }

  it('a session expires twelve hours after its last use', async () => {
    const { engine, clock } = await open()
    const secret = await engine.sessions.open(root, 'token', {})
    const find = async () => {
      const found = await engine.sessions.find(secret, root.rootToken)
      await settle()
      return found
    }
    for (const idle of [12 * HOUR, 12 * HOUR, HOUR]) {
      await clock.advance(idle)
      expect(await find()).toEqual(root)
    }
    await clock.advance(12 * HOUR + 1)
    expect(await find()).toBeNull()
  })

  it('the last use of a session is written once a minute, however many requests arrive', async () => {
    const { engine, clock, store } = await open()
    const secret = await engine.sessions.open({ tokenId: 'one' }, 'token:one', {})
    const look = () => engine.sessions.find(secret, null)
    expect(await look()).toEqual({ tokenId: 'one' })
    await clock.advance(MINUTE + 1)
    await Promise.all([look(), look(), look()])
    await settle()
    expect(store.count('seeSession')).toBe(1)
  })

  it('a session opened with AUTH_TOKEN ends when it changes, and does not reveal it', async () => {
    const { engine, store } = await open()
    const secret = await engine.sessions.open(root, 'token', {})
    expect(await engine.sessions.find(secret, 'another-root-token')).toBeNull()
    expect(await engine.sessions.find(secret, null)).toBeNull()
    const row = await store.session(digest(secret))
    expect(row?.proof).toMatch(/^[0-9a-f]{64}$/)
    expect(row?.proof).not.toBe(digest(root.rootToken))
  })

  it('a session is not found by a guessed secret, or after it is closed', async () => {
    const { engine } = await open()
    const secret = await engine.sessions.open(root, 'token', {})
    for (const guess of ['', 'x', digest(secret), secret.slice(1), `${secret}x`]) {
      expect(await engine.sessions.find(guess, root.rootToken)).toBeNull()
    }
    await engine.sessions.close(secret, 'token')
    await engine.sessions.close(secret, 'token')
    expect(await engine.sessions.find(secret, root.rootToken)).toBeNull()
    expect((await engine.auditTrail()).map(({ action }) => action)).toEqual(['session.close', 'session.open'])
  })
})

/** Tokens, stored as digests, and the sessions opened with them. */
import { describe, expect, it } from 'vitest'
import type { OpOf } from '../../../../server/store/ops.ts'
import { DAY, limits } from '../../../../shared/limits.ts'
import { START } from '../../../support/test-clock.ts'
import type { StoreHarness } from '../../harness.ts'
import { eachKit, type Kit } from '../kit.ts'

function create(overrides: Partial<OpOf<'createToken'>> = {}): OpOf<'createToken'> {
  return {
    kind: 'createToken',
    id: 'id-1',
    name: 'mailer',
    hash: 'hash-2',
    scopes: ['work', 'read'],
    typePrefix: 'mail.',
    expiresInMs: 3_000,
    actor: 'anna',
    ...overrides,
  }
}

const numbered = (n: number) => create({ id: `id-${n}`, name: `name-${n}`, hash: `hash-${n}` })
const revoke = (id = 'id-1') => ({ kind: 'revokeToken', id, actor: 'bert' }) as const

function open(overrides: Partial<OpOf<'openSession'>> = {}): OpOf<'openSession'> {
  const what = { id: 'session-1', tokenId: 'id-1', proof: null, details: { address: '::1' } }
  return { kind: 'openSession', ...what, idleMs: 5_000, actor: 'token:mailer', ...overrides }
}

const audited = async ({ store }: Kit) =>
  (await store.audit({ target: null, before: null, limit: 10 })).map(({ id: _, ...row }) => row).reverse()

export function describeTokens(harness: StoreHarness): void {
  describe('a token', () => {
    const kit = eachKit(harness)

    it('a token is listed with its scopes, and in the audit trail without its digest', async () => {
      const made = await kit().run(create())
      const row = { id: 'id-1', name: 'mailer', scopes: ['work', 'read'], typePrefix: 'mail.' }
      const times = { createdAt: START, lastUsedAt: null, expiresAt: START + 3_000 }
      expect(made).toEqual({ ...row, ...times })
      expect(await kit().store.tokens()).toEqual([{ ...row, ...times, hash: 'hash-2' }])
      const details = { name: 'mailer', scopes: ['work', 'read'], typePrefix: 'mail.', expiresAt: START + 3_000 }
      expect(await audited(kit())).toEqual([
        { at: START, actor: 'anna', action: 'tokens.create', target: 'id-1', details },
      ])
    })

    it('a token may have no type prefix and no expiry; the oldest is listed first', async () => {
      await kit().run(create({ id: 'z', name: 'z', hash: 'z', typePrefix: null, expiresInMs: null }))
      await kit().advance(5)
      await kit().run(create())
      expect(await kit().store.tokens()).toMatchObject([{ id: 'z', typePrefix: null, expiresAt: null }, { id: 'id-1' }])
    })

    it('a token name is unique among tokens that are not revoked', async () => {
      const outcomes = await kit().outcomes(create(), create({ id: 'id-3', hash: 'hash-4' }))
      expect(outcomes.map(({ ok }) => ok)).toEqual([true, false])
      expect((await kit().refused(create({ id: 'id-3', hash: 'hash-4' }))).code).toBe('DUPLICATE_KEY')
      await kit().run(revoke())
      await kit().run(create({ id: 'id-3', hash: 'hash-4' }))
      expect(await kit().store.tokens()).toMatchObject([{ id: 'id-3' }])
      expect(await audited(kit())).toMatchObject([
        { action: 'tokens.create', target: 'id-1' },
        { action: 'tokens.revoke', target: 'id-1', actor: 'bert', details: { name: 'mailer' } },
        { action: 'tokens.create', target: 'id-3' },
      ])
    })

    it('revoking a token ends its sessions; a second time or for an unknown token it changes nothing', async () => {
      await kit().run(create())
      await kit().run(open())
      await kit().run(open({ id: 'session-2', tokenId: 'id-9' }))
      expect(await kit().run(revoke())).toEqual({ changed: true })
      expect(await kit().run(revoke())).toEqual({ changed: false })
      expect(await kit().store.tokens()).toEqual([])
      expect([await kit().store.session('session-1'), await kit().store.session('session-2')]).toMatchObject([
        null,
        { tokenId: 'id-9' },
      ])
      expect((await kit().refused(revoke('id-7'))).code).toBe('NOT_FOUND')
      expect((await audited(kit())).filter(({ action }) => action === 'tokens.revoke')).toHaveLength(1)
    })

    it('a revoked token keeps its row for a while', async () => {
      await kit().run(create())
      await kit().run(revoke())
      await kit().advance(90 * DAY)
      await kit().run(numbered(5))
      expect(await kit().run(revoke())).toEqual({ changed: false })
      await kit().advance(1)
      await kit().run(numbered(6))
      expect((await kit().refused(revoke())).code).toBe('NOT_FOUND')
    })

    it('the number of tokens is limited', async () => {
      await kit().store.commit(Array.from({ length: limits.tokens }, (_, n) => numbered(n)))
      expect((await kit().refused(create({ id: 'one-more', hash: 'one-more' }))).code).toBe('TOO_LARGE')
      await kit().run(revoke('id-7'))
      await kit().run(create({ id: 'one-more', hash: 'one-more' }))
      expect(await kit().store.tokens()).toHaveLength(limits.tokens)
    })

    it('a token records when it was last used', async () => {
      await kit().run(numbered(1))
      await kit().run(numbered(2))
      await kit().advance(40)
      await kit().run({ kind: 'useTokens', ids: ['id-2', 'unknown'] })
      expect((await kit().store.tokens()).map(({ lastUsedAt }) => lastUsedAt)).toEqual([null, START + 40])
    })
  })

  describe('a session', () => {
    const kit = eachKit(harness)

    it('a session is stored with its token, updated when seen, and closed once', async () => {
      await kit().run(open({ tokenId: null, proof: 'proof-3' }))
      expect(await kit().store.session('session-1')).toEqual({ tokenId: null, proof: 'proof-3', seenAt: START })
      await kit().advance(60)
      await kit().run({ kind: 'seeSession', id: 'session-1' })
      expect(await kit().store.session('session-1')).toMatchObject({ seenAt: START + 60 })
      const close = { kind: 'closeSession', id: 'session-1', actor: 'carla' } as const
      expect([await kit().run(close), await kit().run(close)]).toEqual([{ changed: true }, { changed: false }])
      expect(await kit().store.session('session-1')).toBeNull()
      expect(await audited(kit())).toEqual([
        { at: START, actor: 'token:mailer', action: 'session.open', target: null, details: { address: '::1' } },
        { at: START + 60, actor: 'carla', action: 'session.close', target: null, details: {} },
      ])
    })

    it('an idle session is deleted when another is opened', async () => {
      await kit().run(open())
      await kit().advance(5_000)
      await kit().run(open({ id: 'session-2' }))
      expect(await kit().store.session('session-1')).not.toBeNull()
      await kit().advance(1)
      await kit().run(open({ id: 'session-3' }))
      expect(await kit().store.session('session-1')).toBeNull()
      expect(await kit().store.session('session-2')).not.toBeNull()
    })
  })
}

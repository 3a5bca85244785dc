/** Rate limit for wrong tokens per client address; valid tokens always pass. */
import { describe, expect, it } from 'vitest'
import { ANONYMOUS } from '../../server/http/auth/access.ts'
import { authenticateByToken } from '../../server/http/auth/authenticate.ts'
import { peerOf, Throttle } from '../../server/http/auth/throttle.ts'
import { SECOND } from '../../shared/limits.ts'
import { access } from '../http/support/access.ts'
import { incoming } from '../http/support/incoming.ts'
import { verdict } from '../http/support/verdict.ts'
import { refusal } from '../support/refusal.ts'
import { call, describeServer } from '../support/server.ts'
import { TestClock } from '../support/test-clock.ts'
import { fakePeers } from './peers.ts'

const fails = (throttle: Throttle, address = '203.0.113.9') => verdict(() => throttle.recordFailure(address))
const failTimes = (throttle: Throttle, times: number, address?: string) =>
  Array.from({ length: times }, () => fails(throttle, address))

describe('a throttle', () => {
  it('allows ten wrong tokens a minute, then throws TOO_MANY with retryAfterMs', async () => {
    const clock = new TestClock()
    const throttled: string[] = []
    const throttle = new Throttle(clock, (peer) => throttled.push(peer))
    expect(failTimes(throttle, 10)).toEqual(Array(10).fill('passes'))
    await clock.advance(15 * SECOND)
    const refused = refusal(() => throttle.recordFailure('203.0.113.9'))
    expect([refused.code, refused.details]).toEqual(['TOO_MANY', { retryAfterMs: 45 * SECOND }])
    expect([fails(throttle), fails(throttle, '203.0.113.10')]).toEqual(['TOO_MANY', 'passes'])
    await clock.advance(45 * SECOND)
    expect(fails(throttle)).toBe('passes')
    expect(throttled).toEqual(['203.0.113.9'])
  })

  it('counts an IPv6 /64 as one client', () => {
    const throttle = new Throttle(new TestClock())
    for (let n = 1; n <= 10; n++) throttle.recordFailure(`2001:db8:0:7::${n}`)
    expect([fails(throttle, '2001:db8:0:7:ffff::1'), fails(throttle, '2001:db8:0:8::1')]).toEqual([
      'TOO_MANY',
      'passes',
    ])
  })

  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['1::', '1:0:0:0::/64'],
    ['', ''],
  ])('maps the address %s to %s', (address, peer) => {
    expect(peerOf(address)).toBe(peer)
  })

  it('tracks at most 10,000 addresses and drops the oldest', async () => {
    const clock = new TestClock()
    const throttle = new Throttle(clock)
    failTimes(throttle, 11, 'first')
    await clock.advance(1)
    for (let n = 0; n < 10_000; n++) throttle.recordFailure(`peer ${n}`)
    expect([throttle.size, fails(throttle, 'first')]).toEqual([10_000, 'passes'])
    await clock.advance(60 * SECOND)
    throttle.recordFailure('later')
    expect(throttle.size).toBe(1)
  })

  it('allows sixty audit entries a minute', async () => {
    const clock = new TestClock()
    const throttle = new Throttle(clock)
    const entries = () => Array.from({ length: 100 }, () => throttle.mayAudit()).filter(Boolean).length
    expect(entries()).toBe(60)
    await clock.advance(60 * SECOND)
    expect(entries()).toBe(60)
  })
})

describe('authenticateByToken', () => {
  it('accepts a valid token after any number of wrong ones, and does not count a missing token', () => {
    const settings = access({ AUTH_TOKEN: 'right', TRUSTED_PROXIES: '10.0.0.2' })
    const sent = (authorization: string | undefined, client = '203.0.113.9') => {
      const headers = { 'x-forwarded-for': client, ...(authorization !== undefined && { authorization }) }
      return verdict(() => authenticateByToken(incoming({ peer: '10.0.0.2', headers }), settings))
    }
    expect(Array.from({ length: 20 }, () => sent(undefined))).toEqual(Array(20).fill('UNAUTHORIZED'))
    const wrong = Array.from({ length: 12 }, () => sent('Bearer wrong'))
    expect(wrong).toEqual([...Array(10).fill('UNAUTHORIZED'), 'TOO_MANY', 'TOO_MANY'])
    expect([sent('Bearer right'), sent(undefined), sent('Bearer wrong', '203.0.113.10')]).toEqual([
      'passes',
      'UNAUTHORIZED',
      'UNAUTHORIZED',
    ])
  })
})

describeServer('a throttled client', (startServer) => {
  it('gets Retry-After from every API, and one audit entry per action', async () => {
    const server = await startServer({ AUTH_TOKEN: 'right' })
    const from = fakePeers()
    const wrong = { authorization: 'Bearer wrong', ...from('203.0.113.9') }
    const statuses = []
    for (let n = 0; n < 12; n++) statuses.push((await call(server, 'facts', 'query', undefined, wrong)).status)
    expect(statuses).toEqual([...Array(10).fill(401), 429, 429])
    const body = JSON.stringify({ token: 'wrong' })
    const json = { 'content-type': 'application/json' }
    const responses = [
      await fetch(`${server.url}/trpc/facts`, { headers: wrong }),
      await fetch(`${server.url}/api/queue`, { headers: wrong }),
      await fetch(`${server.url}/session`, { method: 'POST', headers: { ...json, ...from('203.0.113.9') }, body }),
    ]
    expect(responses.map(({ status }) => status)).toEqual([429, 429, 429])
    for (const { headers } of responses) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    const right = { authorization: 'Bearer right', ...from('203.0.113.9') }
    expect((await call(server, 'facts', 'query', undefined, right)).status).toBe(200)
    const trail = (await server.engine.auditTrail()).map(({ actor, action, target }) => [actor, action, target])
    expect(trail).toEqual([
      [ANONYMOUS, 'session.refused', '203.0.113.9'],
      [ANONYMOUS, 'tokens.throttled', '203.0.113.9'],
    ])
    expect(server.logText()).not.toContain('wrong"')
  })
})

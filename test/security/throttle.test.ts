/** Wrong tokens are counted by who sends them; right ones pass whatever was counted. */
import { describe, expect, it } from 'vitest'
import { identify } from '../../server/http/auth/guards.ts'
import { peerOf, Throttle } from '../../server/http/auth/throttle.ts'
import { SECOND } from '../../shared/limits.ts'
import { access } from '../http/door.ts'
import { incoming } from '../http/incoming.ts'
import { verdict } from '../http/verdict.ts'
import { refusal } from '../support/refusal.ts'
import { call, describeServer } from '../support/server.ts'
import { TestClock } from '../support/test-clock.ts'
import { inventPeers } from './peers.ts'

const fails = (throttle: Throttle, address = '203.0.113.9') => verdict(() => throttle.failed(address))
const failTimes = (throttle: Throttle, times: number, address?: string) =>
  Array.from({ length: times }, () => fails(throttle, address))

describe('a throttle', () => {
  it('lets ten wrong tokens a minute pass as wrong, and then says when to come back', async () => {
    const clock = new TestClock()
    const throttled: string[] = []
    const throttle = new Throttle(clock, (peer) => throttled.push(peer))
    expect(failTimes(throttle, 10)).toEqual(Array(10).fill('passes'))
    await clock.advance(15 * SECOND)
    const refused = refusal(() => throttle.failed('203.0.113.9'))
    expect([refused.code, refused.details]).toEqual(['TOO_MANY', { retryAfterMs: 45 * SECOND }])
    expect([fails(throttle), fails(throttle, '203.0.113.10')]).toEqual(['TOO_MANY', 'passes'])
    await clock.advance(45 * SECOND)
    expect(fails(throttle)).toBe('passes')
    expect(throttled).toEqual(['203.0.113.9'])
  })

  it('counts a network of IPv6 as one', () => {
    const throttle = new Throttle(new TestClock())
    for (let n = 1; n <= 10; n++) throttle.failed(`2001:db8:0:7::${n}`)
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
  ])('knows %s as %s', (address, peer) => {
    expect(peerOf(address)).toBe(peer)
  })

  it('remembers only so many, the oldest go first', async () => {
    const clock = new TestClock()
    const throttle = new Throttle(clock)
    failTimes(throttle, 11, 'first')
    await clock.advance(1)
    for (let n = 0; n < 10_000; n++) throttle.failed(`peer ${n}`)
    expect([throttle.size, fails(throttle, 'first')]).toEqual([10_000, 'passes'])
    await clock.advance(60 * SECOND)
    throttle.failed('later')
    expect(throttle.size).toBe(1)
  })

  it('has room for sixty notes a minute', async () => {
    const clock = new TestClock()
    const throttle = new Throttle(clock)
    const notes = () => Array.from({ length: 100 }, () => throttle.mayNote()).filter(Boolean).length
    expect(notes()).toBe(60)
    await clock.advance(60 * SECOND)
    expect(notes()).toBe(60)
  })
})

describe('at the door', () => {
  it('a right token passes after any number of wrong ones; none at all is not a wrong one', () => {
    const door = access({ AUTH_TOKEN: 'right', TRUSTED_PROXIES: '10.0.0.2' })
    const sent = (authorization: string | undefined, client = '203.0.113.9') => {
      const headers = { 'x-forwarded-for': client, ...(authorization !== undefined && { authorization }) }
      return verdict(() => identify(incoming({ peer: '10.0.0.2', headers }), door))
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

describeServer('a server', (startServer) => {
  it('says by a header when to come back, on every face, and tells the audit trail once', async () => {
    const server = await startServer({ AUTH_TOKEN: 'right' })
    const from = inventPeers()
    const wrong = { authorization: 'Bearer wrong', ...from('203.0.113.9') }
    const statuses = []
    for (let n = 0; n < 12; n++) statuses.push((await call(server, 'facts', 'query', undefined, wrong)).status)
    expect(statuses).toEqual([...Array(10).fill(401), 429, 429])
    const body = JSON.stringify({ token: 'wrong' })
    const json = { 'content-type': 'application/json' }
    const answers = [
      await fetch(`${server.url}/trpc/facts`, { headers: wrong }),
      await fetch(`${server.url}/api/queue`, { headers: wrong }),
      await fetch(`${server.url}/session`, { method: 'POST', headers: { ...json, ...from('203.0.113.9') }, body }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([429, 429, 429])
    for (const { headers } of answers) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    const right = { authorization: 'Bearer right', ...from('203.0.113.9') }
    expect((await call(server, 'facts', 'query', undefined, right)).status).toBe(200)
    const trail = (await server.engine.auditTrail()).map(({ actor, action, target }) => [actor, action, target])
    expect(trail).toEqual([
      ['nobody', 'session.refused', '203.0.113.9'],
      ['nobody', 'tokens.throttled', '203.0.113.9'],
    ])
    expect(server.logText()).not.toContain('wrong"')
  })
})

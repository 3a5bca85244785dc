/** `queuectl groups` on all three backends. */
import { describe, expect, it } from 'vitest'
import { type Backend, describeBackends, idOf, openBackend } from '../backends.ts'
import { queuectl } from '../terminal.ts'

const MISSING = '019a8c5e-30c1-7000-8000-000000000000'

/** Type `sync` with two keys: `a` has one running and two blocked jobs, `b` one pending job. */
async function twoKeys({ queue, take, ctl }: Backend): Promise<void> {
  await queue.declareTypes({
    types: [{ name: 'sync', settings: { group: { concurrency: 1, rate: { limit: 600, perMs: 60_000, burst: 5 } } } }],
  })
  for (const group of ['a', 'a', 'a', 'b']) await ctl('enqueue', '--type', 'sync', '--payload', '{}', '--group', group)
  expect((await take('sync')).type).toBe('sync')
}

describeBackends('groups', (open) => {
  it('are listed with their jobs and rules', async () => {
    const backend = await open()
    const { ctl } = backend
    expect(await ctl('groups')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'No groups yet; a type with a group, or the first job with a key, creates one.\n',
    })
    await twoKeys(backend)
    const { stdout, stderr } = await ctl('groups')
    expect(stdout).toMatch(
      /^GROUP +STATE +KEYS +PENDING +PROCESSING +BLOCKED +CONCURRENCY +RATE +ORDER +WHEN FULL +ON DEAD +TYPES\n/,
    )
    expect(stdout).toMatch(/^sync +running +2 +1 +1 +2 +1 +600\/1m burst 5 +fair +wait +– +sync$/m)
    expect(stderr).toBe('')
    expect((await ctl('groups', 'list', '--json')).json).toMatchObject([
      { name: 'sync', keys: 2, pending: 1, processing: 1, blocked: 2, effective: { concurrency: 1, window: 1 } },
    ])
    expect((await ctl('groups', '--search', 'other')).stderr).toBe('No groups match.\n')
    const listed = await ctl('list', '--state', 'pending', '--group-key', 'a')
    expect(listed.stdout).toMatch(/^ID +STATE +TYPE +GROUP +.*\n.* sync +a .*\n.* sync +a /)
    expect((await ctl('list', '--group', 'sync', '--json')).json).toHaveLength(4)
    expect((await ctl('stats')).stdout).toMatch(/^sync +3 +1 +0 +0 +0$/m)
  })

  it('show their keys, most blocked first, and one key in detail', async () => {
    const backend = await open()
    await twoKeys(backend)
    const { ctl } = backend
    const keys = await ctl('groups', 'keys', 'sync')
    expect(keys.stdout).toMatch(
      /^KEY +STATE +PENDING +PROCESSING +BLOCKED +OLDEST +NEXT +CONCURRENCY +RATE\na +waiting +0 +1 +2 /,
    )
    expect(keys.stdout).toMatch(/^b +running +1 +0 +0 /m)
    expect(keys.stderr).toBe('2 keys.\n')
    expect(await ctl('groups', 'keys', 'sync', '-n', '1')).toMatchObject({
      stderr: '1 key; raise --limit to see more.\n',
    })
    expect((await ctl('groups', 'keys', 'sync', '--search', 'B', '--json')).json.map(({ key }) => key)).toEqual(['b'])
    const shown = await ctl('groups', 'show', 'sync', 'a')
    expect(shown.stdout).toMatch(
      /^group +sync\nkey +a\nstate +waiting\npending +0\nprocessing +1\nblocked +2\noldest .*\nnext +after another job\n/,
    )
    expect((await ctl('groups', 'show', 'sync', 'new', '--json')).json).toMatchObject([{ key: 'new', blocked: 0 }])
    expect(await ctl('groups', 'show', 'synk', 'a')).toMatchObject({
      code: 3,
      stderr: 'There is no group synk; did you mean sync?\n',
    })
  })

  it('take overrides of the group and of one key, which can be removed again', async () => {
    const backend = await open()
    await twoKeys(backend)
    const { ctl, queue } = backend
    const set = await ctl('groups', 'set', 'sync', '--rate', '10/1s', '--burst', '3', '--when-full', 'skip')
    expect([set.code, set.stdout, set.stderr]).toEqual([
      0,
      '',
      'Group sync: concurrency 1, rate 10/1s burst 3, window 1, order fair, when full skip, on dead –.\n',
    ])
    const key = await ctl('groups', 'set', 'sync', 'a', '--concurrency', '2', '--rate', 'none', '--json')
    expect(key.json).toMatchObject([
      { key: 'a', override: { concurrency: 2, rate: null }, effective: { concurrency: 2 } },
    ])
    expect((await ctl('groups', 'show', 'sync', 'a')).stdout).toMatch(
      /^concurrency +2 \(of this key\)\nrate +– \(of this key\)$/m,
    )
    const cleared = await ctl('groups', 'clear', 'sync', 'concurrency', 'rate', '--key', 'a')
    expect(cleared.stderr).toContain('a of group sync: concurrency 1, rate 10/1s burst 3')
    await ctl('groups', 'clear', 'sync', 'rate', 'when-full')
    expect((await queue.groups()).groups[0]?.override).toEqual({})
    expect((await queue.auditTrail()).filter(({ action }) => action === 'groups.update')).toHaveLength(4)
  })

  it('are paused and resumed, and a stopped key continues', async () => {
    const { ctl, queue, take } = await open()
    await queue.declareTypes({ types: [{ name: 'sync', settings: { group: { order: 'strict', onDead: 'stop' } } }] })
    const first = await ctl('enqueue', '--type', 'sync', '--payload', '{}', '--group', 'a', '--max-attempts', '1')
    const next = await ctl('enqueue', '--type', 'sync', '--payload', '{}', '--group', 'a')
    const second = idOf(next)
    expect(next.stderr).toBe(`Enqueued; blocked by its group, see queuectl explain ${second}.\n`)
    await queue.fail({ id: idOf(first), version: (await take('sync')).version, error: 'broken' })
    const stopped = (await ctl('groups', 'show', 'sync', 'a')).stdout
    expect(stopped).toMatch(`stopped by   ${idOf(first)}\n`)
    expect(stopped).toMatch(/^next +after a retry or a resume$/m)
    const why = await ctl('explain', second)
    expect(why.stdout).toContain(`Key a of group sync is stopped, because job ${idOf(first)} failed for good`)
    await ctl('groups', 'set', 'sync', 'a', '--resume')
    await expect.poll(async () => (await queue.get({ id: second })).status).toBe('pending')
    expect((await ctl('groups', 'set', 'sync', '--paused')).stderr).toContain('Group sync: paused, concurrency 1')
    expect((await ctl('groups')).stdout).toMatch(/^sync +paused .* strict +wait +stop +sync$/m)
    expect((await ctl('groups', 'set', 'sync', '--on-dead', 'continue')).stderr).toContain(
      'order strict, when full wait, on dead continue.\n',
    )
    await ctl('groups', 'clear', 'sync', 'on-dead')
    await expect.poll(async () => (await queue.get({ id: second })).status).toBe('blocked')
    expect((await ctl('groups', 'show', 'sync', 'a')).stdout).toMatch(/^next +after a resume$/m)
    expect((await ctl('groups', 'set', 'sync', 'a', '--concurrency', '5')).stderr).toContain(
      'The concurrency of group sync stays 1: order strict runs the jobs of a key one by one.',
    )
    await ctl('groups', 'set', 'sync', '--resume')
    await expect.poll(async () => (await queue.get({ id: second })).status).toBe('pending')
  })

  it('set warns that on dead needs order strict', async () => {
    const { ctl } = await open()
    expect((await ctl('groups', 'set', 'later', '--on-dead', 'stop')).stderr).toContain(
      'On dead has no effect until the order is strict',
    )
    expect((await ctl('groups', 'set', 'later', '--on-dead', 'stop', '--order', 'strict')).stderr).not.toContain(
      'no effect',
    )
  })

  it('get rules before their first job, with a warning', async () => {
    const { ctl } = await open()
    const set = await ctl('groups', 'set', 'later', '--concurrency', '3')
    expect([set.code, set.stderr]).toEqual([
      0,
      'Group later: concurrency 3, rate –, window 3, order fair, when full wait, on dead –.\n' +
        'No type declares group later, and it has no jobs yet; see queuectl groups.\n',
    ])
  })
})

describe('groups set', () => {
  it.each([
    [['set', 'g'], 'Nothing to set; give at least one rule'],
    [
      ['set', 'g', 'k', '--window', '3'],
      'window holds for the whole group; one key may override only concurrency, rate, paused.',
    ],
    [['set', 'g', '--rate', '10'], 'It must look like 10/1s or 600/min'],
    [['set', 'g', '--rate', '10/soon'], 'It must look like 10/1s or 600/min'],
    [['set', 'g', '--burst', '2'], '--burst needs --rate.'],
    [['set', 'g', '--order', 'random'], 'Allowed choices are fair, strict'],
    [['set', 'g', '--paused', '--resume'], "cannot be used with option '--resume'"],
    [['clear', 'g', 'conurrency'], 'There is no rule conurrency; did you mean concurrency?'],
    [['clear', 'g', 'order', '--key', 'k'], 'order holds for the whole group'],
  ])('refuses %j', async (argv, message) => {
    const ran = await queuectl(['groups', ...argv])
    expect([ran.code, ran.stdout]).toEqual([2, ''])
    expect(ran.stderr).toContain(message)
  })

  it('reads times per unit, and refuses to clear a group that does not exist', async () => {
    const { ctl } = await openBackend('file')
    expect((await ctl('groups', 'set', 'g', '--rate', '600/min')).stderr).toContain('rate 600/1m,')
    expect(await ctl('groups', 'clear', 'h', 'rate')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('There is no group h'),
    })
    expect(await ctl('explain', MISSING)).toMatchObject({ code: 3 })
  })
})

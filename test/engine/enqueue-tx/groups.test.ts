/** enqueueTx of jobs with a key: no key is locked while the host's transaction is open. */
import { expect, it } from 'vitest'
import { ids, take, until } from '../../support/engine.ts'
import { addOrder, counters, describeHosts, type Host } from '../../support/programs/host.ts'

const GROUP = { concurrency: 1, key: '/tenant' }
const JOB = { type: 'mail', payload: { tenant: 'acme' } }

const keyRows = (host: Host) =>
  host.sql('SELECT key, pending * 1 AS p, processing * 1 AS r, blocked * 1 AS b FROM millrace_job_groups')

describeHosts('enqueueTx with a key', (open) => {
  async function opened() {
    const one = await open()
    one.engine.start()
    await one.clock.advance(0)
    await one.engine.declareTypes({ types: [{ name: 'mail', settings: { group: GROUP } }] })
    return one
  }

  it('stores the job as scheduled now, and it becomes pending or blocked after the commit', async () => {
    const { engine, host, clock } = await opened()
    const begun = await host.begin()
    await addOrder(host, begun, 'order-1')
    const answers = await engine.enqueueManyTx(begun.tx, { jobs: [JOB, JOB, { ...JOB, payload: { tenant: 'b' } }] })
    expect(answers.map(({ status }) => status)).toEqual(['scheduled', 'scheduled', 'scheduled'])
    expect(await begun.sql('SELECT key FROM millrace_job_groups')).toEqual([])
    await begun.commit()
    const statuses = async () => Promise.all(ids(answers).map(async (id) => (await engine.get({ id })).status))
    await until(async () => {
      await clock.advance(500)
      return !(await statuses()).includes('scheduled')
    })
    expect(await statuses()).toEqual(['pending', 'blocked', 'pending'])
    const job = await take(engine, { types: ['mail'] })
    expect([job.id, (await engine.get({ id: job.id })).groupKey]).toEqual([answers[0]?.id, 'acme'])
    const { kept, counted } = await counters(host)
    expect(kept).toEqual(counted)
  })

  it('a claim after the commit gets the job', async () => {
    const { engine, host } = await opened()
    const begun = await host.begin()
    const { id } = await engine.enqueueTx(begun.tx, JOB)
    await begun.commit()
    expect((await take(engine, { types: ['mail'] })).id).toBe(id)
  })

  it('leaves nothing of the key behind when the host rolls back', async () => {
    const { engine, host, clock } = await opened()
    const begun = await host.begin()
    const { id } = await engine.enqueueTx(begun.tx, JOB)
    await begun.rollback()
    await clock.advance(1_000)
    await expect(engine.get({ id })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(await keyRows(host)).toEqual([])
  })

  it('a job without a key is pending at once, as before', async () => {
    const { engine, host } = await opened()
    const begun = await host.begin()
    expect(await engine.enqueueTx(begun.tx, { type: 'mail', payload: 1 })).toMatchObject({ status: 'pending' })
    await begun.commit()
    expect(await keyRows(host)).toEqual([])
  })

  it('a delayed job keeps its time, and one with a key that is refused stores nothing', async () => {
    const { engine, host, clock } = await opened()
    const begun = await host.begin()
    const { id } = await engine.enqueueTx(begun.tx, { ...JOB, delayMs: 60_000 })
    const tooLong = { type: 'mail', payload: { tenant: 'x'.repeat(10_000) } }
    // Synchronous on SQLite.
    const refused = async () => engine.enqueueTx(begun.tx, tooLong)
    await expect(refused()).rejects.toMatchObject({ code: 'BAD_INPUT' })
    await begun.commit()
    expect(await engine.get({ id })).toMatchObject({ status: 'scheduled', runAt: clock.now() + 60_000 })
  })

  it('does not delay other enqueues of the key', async () => {
    const { engine, host } = await opened()
    if (host.dialect === 'sqlite') {
      // One writer at a time: the file, not the key, is locked.
      expect(host.dialect).toBe('sqlite')
      return
    }
    await engine.enqueue(JOB)
    const begun = await host.begin()
    await engine.enqueueTx(begun.tx, JOB)
    expect((await engine.enqueue(JOB)).status).toBe('blocked')
    const job = await take(engine, { types: ['mail'] })
    await engine.complete({ id: job.id, version: job.version, result: null })
    await begun.commit()
    expect(await keyRows(host)).toHaveLength(1)
  })
})

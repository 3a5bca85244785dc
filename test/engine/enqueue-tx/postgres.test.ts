/** Enqueueing in a host's transaction where others have stored the same key in PostgreSQL: waiting for them, and not seeing them. */
import { expect, it } from 'vitest'
import { add, addMany, refused, until } from '../../support/engine.ts'
import {
  addOrder,
  counters,
  describeHosts,
  type Host,
  orders,
  postgresClient,
  postgresDrizzle,
} from '../../support/host.ts'

const KINDS = [postgresClient, postgresDrizzle]
const WAITS = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`

/** Resolves when a session waits for a lock. */
function untilWaiting(host: Host): Promise<void> {
  return until(async () => (await host.sql(WAITS)).length > 0)
}

describeHosts(
  'a key that another transaction has stored and not committed',
  (open) => {
    it('is waited for, and found when that transaction commits', async () => {
      const { engine, host } = await open()
      await add(engine)
      const [first, second] = [await host.begin(), await host.begin()]
      const { id } = await engine.enqueueTx(first.tx, { type: 'mail', payload: 1, dedupeKey: 'k' })
      const answer = engine.enqueueTx(second.tx, { type: 'mail', payload: 2, dedupeKey: 'k' })
      await untilWaiting(host)
      await first.commit()
      expect(await answer).toEqual({ id, status: 'pending', deduplicated: true })
      await second.commit()
      const { kept, counted } = await counters(host)
      expect(kept).toEqual(counted)
    })

    it('is waited for, and free when that transaction rolls back', async () => {
      const { engine, host } = await open()
      const [first, second] = [await host.begin(), await host.begin()]
      const { id } = await engine.enqueueTx(first.tx, { type: 'mail', payload: 1, dedupeKey: 'k' })
      const answer = engine.enqueueTx(second.tx, { type: 'mail', payload: 2, dedupeKey: 'k' })
      await untilWaiting(host)
      await first.rollback()
      expect(await answer).toMatchObject({ status: 'pending', deduplicated: false })
      await second.commit()
      await expect(engine.get({ id })).rejects.toMatchObject({ code: 'NOT_FOUND' })
      expect((await engine.stats()).counts.pending).toBe(1)
    })

    it('is waited for, and so is a new type, which may turn out to be of another kind', async () => {
      const { engine, host } = await open()
      const [first, second] = [await host.begin(), await host.begin()]
      await engine.enqueueTx(first.tx, { type: 'new', payload: 1 })
      const jobs = ['other', 'new'].map((type) => ({ type, payload: 2, kind: 'command' as const }))
      const answer = refused(Promise.resolve(engine.enqueueManyTx(second.tx, { jobs })))
      await untilWaiting(host)
      await first.commit()
      expect((await answer).code).toBe('WRONG_STATE')
      await engine.enqueueTx(second.tx, { type: 'new', payload: 3 })
      await second.commit()
      expect(await host.sql('SELECT name, kind FROM millrace_job_types')).toEqual([{ name: 'new', kind: 'job' }])
      expect((await engine.stats()).counts.pending).toBe(2)
    })

    it('is waited for by a plain enqueue, too', async () => {
      const { engine, host } = await open()
      const begun = await host.begin()
      const { id } = await engine.enqueueTx(begun.tx, { type: 'mail', payload: 1, dedupeKey: 'k' })
      const answer = engine.enqueue({ type: 'mail', payload: 2, dedupeKey: 'k' })
      await untilWaiting(host)
      await begun.commit()
      expect(await answer).toEqual({ id, status: 'pending', deduplicated: true })
    })

    it('does not block other callers', async () => {
      const { engine, host } = await open()
      await add(engine)
      const begun = await host.begin()
      await engine.enqueueTx(begun.tx, { type: 'mail', payload: 1, dedupeKey: 'k' })
      const others = await addMany(engine, 3)
      const second = await host.begin()
      await engine.enqueueTx(second.tx, { type: 'mail', payload: 1, dedupeKey: 'l' })
      await second.commit()
      expect(await engine.claim({ worker: 'w', limit: 100 })).toHaveLength(others.length + 2)
      await begun.commit()
      const { kept, counted } = await counters(host)
      expect(kept).toEqual(counted)
    })

    it('ends one of two transactions that wait for each other, which can go on', async () => {
      const { engine, host } = await open()
      await add(engine)
      const [first, second] = [await host.begin(), await host.begin()]
      await addOrder(host, second, 'order-2')
      await engine.enqueueTx(first.tx, { type: 'mail', payload: 1, dedupeKey: 'a' })
      await engine.enqueueTx(second.tx, { type: 'mail', payload: 2, dedupeKey: 'b' })
      const crossed = [
        engine.enqueueTx(first.tx, { type: 'mail', payload: 3, dedupeKey: 'b' }),
        engine.enqueueTx(second.tx, { type: 'mail', payload: 4, dedupeKey: 'a' }),
      ].map((call, n) =>
        Promise.resolve(call).then(
          () => null,
          (error) => [n, error],
        ),
      )
      const [loser, error] =
        (await Promise.race(crossed.map(async (one) => (await one) ?? new Promise<never>(() => {})))) ?? []
      expect(error).toMatchObject({ code: 'BUSY', details: { sqlState: '40P01' } })
      const [lost, won] = loser === 0 ? [first, second] : [second, first]
      expect(await lost.sql('SELECT 1 AS one')).toEqual([{ one: 1 }])
      await lost.rollback()
      await Promise.all(crossed)
      await won.commit()
      const { kept, counted } = await counters(host)
      expect(kept).toEqual(counted)
      expect((await engine.stats()).counts.pending).toBe(3)
    })
  },
  KINDS,
)

describeHosts(
  'enqueueing in a transaction that sees one moment',
  (open) => {
    it.each(['REPEATABLE READ', 'SERIALIZABLE'])('finds a key that it sees (%s)', async (isolation) => {
      const { engine, host } = await open()
      const id = await add(engine, { dedupeKey: 'k' })
      const begun = await host.begin(isolation)
      const answer = await engine.enqueueTx(begun.tx, { type: 'mail', payload: 1, dedupeKey: 'k' })
      const first = await engine.enqueueTx(begun.tx, { type: 'call', payload: 2, dedupeKey: 'k' })
      const again = await engine.enqueueTx(begun.tx, { type: 'call', payload: 3, dedupeKey: 'k' })
      await begun.commit()
      expect([answer.id, again.id]).toEqual([id, first.id])
      const { kept, counted } = await counters(host)
      expect(kept).toEqual(counted)
    })

    it.each(['REPEATABLE READ', 'SERIALIZABLE'])(
      'stores jobs beside those that it does not see (%s)',
      async (isolation) => {
        const { engine, host } = await open()
        const store = async (level?: string) => {
          const begun = await host.begin(level)
          await engine.enqueueTx(begun.tx, { type: 'mail', payload: 1 })
          return begun
        }
        await (await store()).commit()
        const begun = await host.begin(isolation)
        await addOrder(host, begun, 'order-1')
        await (await store()).commit()
        await (await store(isolation)).commit()
        await engine.enqueueTx(begun.tx, { type: 'mail', payload: 2 })
        await begun.commit()
        const { kept, counted } = await counters(host)
        expect(kept).toEqual(counted)
        expect(kept).toEqual([{ type: 'mail', status: 'pending', n: 4 }])
      },
    )

    it.each(['REPEATABLE READ', 'SERIALIZABLE'])(
      'reports that the holder of the key is not visible (%s)',
      async (isolation) => {
        const { engine, host } = await open()
        await add(engine, { type: 'call' })
        const begun = await host.begin(isolation)
        await addOrder(host, begun, 'order-1')
        const id = await add(engine, { type: 'mail', dedupeKey: 'k' })
        const job = { type: 'mail', payload: 1, dedupeKey: 'k' }
        const jobs = [{ type: 'call', payload: 1 }, job]
        const refusal = await refused(Promise.resolve(engine.enqueueManyTx(begun.tx, { jobs })))
        expect([refusal.code, refusal.details]).toEqual(['BUSY', { sqlState: '40001' }])
        await engine.enqueueTx(begun.tx, { type: 'call', payload: 2 })
        await begun.commit()
        expect(await orders(host)).toEqual(['order-1'])
        const { kept, counted } = await counters(host)
        expect(kept).toEqual(counted)
        const next = await host.begin(isolation)
        expect(await engine.enqueueTx(next.tx, job)).toEqual({ id, status: 'pending', deduplicated: true })
        await next.commit()
      },
    )
  },
  KINDS,
)

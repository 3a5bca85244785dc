/** enqueueTx on PostgreSQL when another transaction has stored the same key: locks and snapshots. */
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
} from '../../support/programs/host.ts'

const KINDS = [postgresClient, postgresDrizzle]
const WAITS = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`

/** Resolves when a session waits for a lock. */
function untilWaiting(host: Host): Promise<void> {
  return until(async () => (await host.sql(WAITS)).length > 0)
}

describeHosts(
  'a dedupe key in an uncommitted transaction',
  (open) => {
    it('enqueueTx waits for an uncommitted key, and finds it when the other transaction commits', async () => {
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

    it('enqueueTx waits for an uncommitted key, and uses it when the other transaction rolls back', async () => {
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

    it('enqueueTx waits for an uncommitted type, and is refused when it has another kind', async () => {
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

    it('a claim without types finds the first job of a type as soon as its transaction has committed', async () => {
      const { engine, host } = await open()
      const begun = await host.begin()
      const { id } = await engine.enqueueTx(begun.tx, { type: 'new', payload: 1 })
      await add(engine)
      expect(await engine.claim({ worker: 'w', limit: 9 })).toHaveLength(1)
      expect(await engine.claim({ worker: 'w', limit: 9 })).toEqual([])
      await begun.commit()
      expect(await engine.claim({ worker: 'w', limit: 9 })).toMatchObject([{ id }])
    })

    it('enqueue waits for an uncommitted key as well', async () => {
      const { engine, host } = await open()
      const begun = await host.begin()
      const { id } = await engine.enqueueTx(begun.tx, { type: 'mail', payload: 1, dedupeKey: 'k' })
      const answer = engine.enqueue({ type: 'mail', payload: 2, dedupeKey: 'k' })
      await untilWaiting(host)
      await begun.commit()
      expect(await answer).toEqual({ id, status: 'pending', deduplicated: true })
    })

    it('an uncommitted key does not block calls with other keys', async () => {
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

    it('a deadlock of two transactions refuses one call with BUSY, and its transaction stays usable', async () => {
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
  'enqueueTx in a snapshot transaction',
  (open) => {
    it.each(['REPEATABLE READ', 'SERIALIZABLE'])('enqueueTx finds a key in its snapshot (%s)', async (isolation) => {
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
      'enqueueTx stores jobs beside jobs outside its snapshot (%s)',
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
      'enqueueTx is refused with BUSY when the holder of the key is outside its snapshot (%s)',
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

/** Waiting claims that are retried when jobs are settled. */
import { expect, it } from 'vitest'
import { StoreTime } from '../../../server/engine/commit/store-time.ts'
import type { Entry } from '../../../server/engine/commit/write-queue.ts'
import { Waiters } from '../../../server/engine/waiting/waiters.ts'
import type { OpOf } from '../../../server/store/ops.ts'
import { SECOND } from '../../../shared/limits.ts'
import { TestClock } from '../../support/test-clock.ts'

function line(claims: readonly (Partial<OpOf<'claim'>> & { readonly worker: string })[]) {
  const clock = new TestClock()
  const asked: (string | undefined)[] = []
  const submit = ({ ops: [op] }: Entry) => asked.push(op?.kind === 'claim' ? op.worker : undefined)
  const waiters = new Waiters(clock, new StoreTime(clock), {
    submit,
    releaseUndelivered: () => {},
    onOccupancyChanged: () => {},
  })
  for (const { worker, ...rest } of claims) {
    const op: OpOf<'claim'> = {
      ...{ kind: 'claim', worker, types: null, limit: 1, leaseMs: null, requestId: null, settle: false },
      ...rest,
    }
    void waiters.wait(op, { waitMs: SECOND, signal: undefined, nextEligibleAt: null, passedOver: true })
  }
  return { waiters, asked }
}

it('a settle retries the waiting claims of the same worker and process', () => {
  const { waiters, asked } = line([
    { worker: 'a', process: 'p' },
    { worker: 'b', process: 'p' },
    { worker: 'c', process: 'q' },
    { worker: 'd' },
  ])
  waiters.settled(new Set(['a', 'p']))
  expect(asked).toEqual(['a', 'b'])
  waiters.settled(new Set(['d']))
  expect(asked).toEqual(['a', 'b', 'd'])
})

it('a settle by an unknown worker retries all waiting claims', () => {
  const { waiters, asked } = line([{ worker: 'a', process: 'p' }, { worker: 'd' }])
  waiters.settled(null)
  expect(asked).toEqual(['a', 'd'])
})

/** Procedures of producers and workers. */
import { HOUR } from '../../../shared/limits.ts'
import type { Row } from './row.ts'
import { anyNumber, anyText, claimed, MISSING, type World } from './world.ts'

const lease = ({ held }: World) => ({ id: held.id, version: held.version })
const settled = ({ held }: World, status: string, runAt: unknown) => ({
  ...lease({ held } as World),
  status,
  runAt,
  repeated: false,
})

const fenced = (
  more: Readonly<Record<string, unknown>>,
  bad: NonNullable<Row['bad']>,
  answer?: Row['answer'],
): Row => ({
  kind: 'mutation',
  input: (world) => ({ ...lease(world), ...more }),
  ...(answer && { answer }),
  bad: [{ id: MISSING, version: 1, ...more, ...bad[0] }, bad[1]],
  missing: { id: MISSING, version: 1, ...more },
  fenced: true,
})

const newJob = { id: anyText, status: 'pending', deduplicated: false }

export const WORK_ROWS: Readonly<Record<string, Row>> = {
  enqueue: {
    kind: 'mutation',
    input: () => ({ type: 'mail', payload: { to: 'bob' } }),
    answer: () => newJob,
    bad: [{ type: 'mail', payload: {}, priority: 1.5 }, 'priority'],
  },
  enqueueMany: {
    kind: 'mutation',
    input: () => ({
      jobs: [
        { type: 'mail', payload: 1 },
        { type: 'fax', payload: 2, delayMs: HOUR },
      ],
    }),
    answer: () => [newJob, { ...newJob, status: 'scheduled' }],
    bad: [
      {
        jobs: [
          { type: 'mail', payload: 1 },
          { type: '', payload: 2 },
        ],
      },
      'jobs.1.type',
    ],
  },
  batch: {
    kind: 'mutation',
    hasOutcomes: true,
    input: () => ({
      ops: [
        { verb: 'enqueue', input: { type: 'mail', payload: { to: 'bob' } } },
        { verb: 'get', input: { id: MISSING } },
      ],
    }),
    answer: () => ({
      outcomes: [
        { ok: true, value: newJob },
        { ok: false, error: { code: 'NOT_FOUND', message: anyText, details: { id: MISSING } } },
      ],
    }),
    bad: [{ ops: [] }, 'ops'],
  },
  claim: {
    kind: 'mutation',
    input: () => ({ worker: 'worker-2', types: ['mail'], about: { slots: 4, version: 'shop 2.14.0' } }),
    answer: ({ waiting }) => [claimed({ id: waiting, payload: { to: 'ada' } })],
    bad: [{ worker: 'worker-2', limit: 101 }, 'limit'],
  },
  exchange: {
    kind: 'mutation',
    input: (world) => ({ worker: 'worker-1', settle: [{ kind: 'complete', ...lease(world) }], claim: { about: {} } }),
    answer: (world) => ({
      settled: [{ ok: true, value: settled(world, 'completed', null) }],
      jobs: [claimed({ id: world.waiting, payload: { to: 'ada' } })],
      timing: { elapsedMs: anyNumber, now: anyNumber },
    }),
    bad: [{ worker: 'worker-1', settle: [{ kind: 'complete', id: MISSING, version: 0 }] }, 'settle.0.version'],
  },
  cancellations: {
    kind: 'query',
    input: (world) => ({ worker: 'worker-1', leases: [lease(world)] }),
    answer: () => ({ cancelled: [] }),
    bad: [{ worker: 'worker-1', leases: [] }, 'leases'],
  },
  heartbeat: {
    kind: 'mutation',
    input: (world) => ({ worker: 'worker-1', leases: [lease(world), { id: MISSING, version: 4 }], leaseMs: 60_000 }),
    answer: ({ held }) => ({ extended: [held.id], lost: [MISSING], cancelled: [], draining: false }),
    bad: [{ worker: 'worker-1', leases: [{ id: MISSING }] }, 'leases.0.version'],
  },
  complete: fenced({ result: { pages: 3 } }, [{ id: 'seven' }, 'id'], (world) => settled(world, 'completed', null)),
  fail: fenced({ error: 'no paper' }, [{ retryInMs: -1 }, 'retryInMs'], (world) =>
    settled(world, 'retrying', anyNumber),
  ),
  release: fenced({}, [{ delayMs: -1 }, 'delayMs'], ({ held }) => settled({ held } as World, 'pending', held.runAt)),
  holders: {
    kind: 'query',
    input: ({ held }) => ({ ids: [held.id, MISSING], seqs: [held.seq, 9_999_999] }),
    answer: ({ held }) => {
      const { id, seq, type, version } = held
      return Array(2).fill({ id, seq, type, status: 'processing', version, worker: 'worker-1' })
    },
    bad: [{ seqs: [0] }, 'seqs.0'],
  },
  progress: fenced({ progress: 62.5 }, [{ progress: 101 }, 'progress']),
  log: fenced({ lines: [{ line: 'page 2' }] }, [{ lines: [{ line: 2 }] }, 'lines.0.line']),
}

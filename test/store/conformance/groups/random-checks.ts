/** What holds for keys after every commit of a random sequence. */
import { expect } from 'vitest'
import type { ClaimedRow, Op, Outcome } from '../../../../server/store/ops.ts'
import type { JobSummary } from '../../../../shared/job.ts'
import { isTerminal } from '../../../../shared/status.ts'
import type { KeyRow } from '../../harness.ts'
import type { Kit } from '../kit.ts'
import { expectExactKeys, keysWithRoom, readRules } from './group-kit.ts'
import { isStrict, RATED, TYPES } from './random-steps.ts'

/** A rounding error of the stored time. */
const EPSILON_MS = 0.01

const idOf = ({ name, key }: Pick<KeyRow, 'name' | 'key'>) => `${name} / ${key}`

export class Checks {
  private readonly kit: Kit
  private before = new Map<string, { readonly pending: number; readonly taken: number }>()
  private limits = new Map<string, { readonly concurrency: number; readonly window: number }>()
  /** Instants of claims, by key. */
  private readonly starts = new Map<string, number[]>()
  /** Jobs that an operator brought back: they have no place in the order of their key. */
  private readonly broughtBack = new Set<string>()
  private finished = new Set<string>()
  /** The last job of a strict key that started for the first time. */
  private readonly lastFirstStart = new Map<string, number>()

  constructor(kit: Kit) {
    this.kit = kit
  }

  async after(ops: readonly Op[], outcomes: readonly Outcome[], jobs: readonly JobSummary[]): Promise<void> {
    const { rows } = await this.kit.harness.keyRows()
    await expectExactKeys(this.kit)
    expect(await this.kit.counts()).toEqual(await this.kit.harness.countByStatus())
    // With several changes in one commit a job may have been admitted under a rule between them.
    await this.checkLimits(rows, ops.filter(({ kind }) => kind === 'updateGroup').length > 1)
    await this.checkRoom(rows)
    this.noteReturns(ops, jobs)
    for (const [index, op] of ops.entries()) this.noteStarts(op, outcomes[index], jobs)
    this.checkRates()
    this.checkTurns(jobs)
  }

  /** A key above its limit, which was lowered, takes no further job. */
  private async checkLimits(rows: readonly KeyRow[], isAnyLimit: boolean): Promise<void> {
    const rulesOf = await readRules(this.kit)
    const now = this.kit.clock.now()
    for (const row of rows) {
      const id = idOf(row)
      const rules = rulesOf(row)
      const limits = { concurrency: rules.concurrency ?? Number.POSITIVE_INFINITY, window: rules.window }
      const old = this.limits.get(id) ?? limits
      const before = this.before.get(id) ?? { pending: 0, taken: 0 }
      const taken = row.pending + row.processing
      if (!isAnyLimit) {
        const most = Math.max(limits.concurrency, old.concurrency, before.taken)
        expect(taken, `places of ${id}`).toBeLessThanOrEqual(most)
        expect(row.pending, `window of ${id}`).toBeLessThanOrEqual(Math.max(limits.window, old.window, before.pending))
      }
      if (rules.paused || (row.busyUntil ?? 0) > now) expect(row.pending, `pending of ${id}, which waits`).toBe(0)
      this.limits.set(id, limits)
      this.before.set(id, { pending: row.pending, taken })
    }
  }

  /** A key with room and blocked jobs is due for the next promotion. */
  private async checkRoom(rows: readonly KeyRow[]): Promise<void> {
    const now = this.kit.clock.now()
    const stuck = (await keysWithRoom(this.kit, rows)).filter(({ wakeAt }) => wakeAt === null || wakeAt > now)
    expect(stuck).toEqual([])
    const { promoteAt } = await this.kit.store.nextDue()
    for (const { wakeAt } of rows) if (wakeAt !== null) expect(promoteAt).toBeLessThanOrEqual(wakeAt)
  }

  private noteReturns(ops: readonly Op[], jobs: readonly JobSummary[]): void {
    for (const op of ops) if (op.kind === 'jobAction' && op.action === 'retry') this.broughtBack.add(op.id)
    for (const { id, status } of jobs) if (!isTerminal(status) && this.finished.has(id)) this.broughtBack.add(id)
    this.finished = new Set(jobs.filter(({ status }) => isTerminal(status)).map(({ id }) => id))
  }

  private noteStarts(op: Op, outcome: Outcome | undefined, jobs: readonly JobSummary[]): void {
    if (op.kind !== 'claim' || !outcome?.ok) return
    const claimed = outcome.value as { readonly jobs: readonly ClaimedRow[] }
    for (const { id, seq, version } of claimed.jobs) {
      const job = jobs.find((one) => one.id === id)
      if (!job?.groupName || !job.groupKey) continue
      const key = idOf({ name: job.groupName, key: job.groupKey })
      this.starts.set(key, [...(this.starts.get(key) ?? []), this.kit.clock.now()])
      if (version > 1 || this.broughtBack.has(id) || !isStrict(job.groupName)) continue
      expect(seq, `first start in ${key}`).toBeGreaterThan(this.lastFirstStart.get(key) ?? 0)
      this.lastFirstStart.set(key, seq)
    }
  }

  /** In any period no more jobs start than the burst and the tokens of the period. */
  private checkRates(): void {
    const rate = TYPES[RATED]?.rate
    if (!rate) throw new Error('the type has a rate')
    const spacing = rate.perMs / rate.limit
    for (const key of ['a', 'b']) {
      const starts = this.starts.get(idOf({ name: RATED, key })) ?? []
      const last = starts.at(-1) ?? 0
      for (const [index, start] of starts.entries()) {
        const most = (rate.burst ?? 1) + (last - start + EPSILON_MS) / spacing
        expect(starts.length - index, `starts since ${start}`).toBeLessThanOrEqual(most)
      }
    }
  }

  /** In strict order a job that has started is the only one until it is finished. */
  private checkTurns(jobs: readonly JobSummary[]): void {
    const open = new Map<string, string[]>()
    for (const { id, groupName, groupKey, status, version } of jobs) {
      if (groupName === null || groupKey === null || !isStrict(groupName)) continue
      if (version === 0 || isTerminal(status) || this.broughtBack.has(id)) continue
      const key = idOf({ name: groupName, key: groupKey })
      open.set(key, [...(open.get(key) ?? []), id])
    }
    for (const [key, ids] of open) expect(ids, `started jobs of ${key}`).toHaveLength(1)
  }
}

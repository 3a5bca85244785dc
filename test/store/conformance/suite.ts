/** The whole conformance suite: what any store must do, subject by subject. */
import { describe } from 'vitest'
import type { StoreHarness } from '../harness.ts'
import { describeActs } from './acts.ts'
import { describeBatch } from './batch.ts'
import { describeBulk } from './bulk.ts'
import { describeBulkUndo } from './bulk-undo.ts'
import { describeClaimLimits } from './claim-limits.ts'
import { describeClaimManyTypes } from './claim-many-types.ts'
import { describeClaimOrder } from './claim-order.ts'
import { describeCleanup } from './cleanup.ts'
import { describeCounters } from './counters.ts'
import { describeDue } from './due.ts'
import { describeEnqueue } from './enqueue-dedupe.ts'
import { describeFencing } from './fencing.ts'
import { describeIsolation } from './isolation.ts'
import { describeLeases } from './leases.ts'
import { describeModel } from './model-based.ts'
import { describeRateLimits } from './rate-limits.ts'
import { describeReads } from './reads.ts'
import { describeRequestId } from './request-id.ts'
import { describeRescue } from './rescue.ts'
import { describeRunning } from './running.ts'
import { describeSettings } from './settings.ts'
import { describeSettle } from './settle.ts'
import { describeSettleRepeat } from './settle-repeat.ts'
import { describeTokens } from './tokens.ts'
import { describeWorkers } from './workers.ts'

/** About ten seconds of random sequences on SQLite; nights can ask for thousands. */
const MODEL_RUNS = 150

export function describeStore(harness: StoreHarness, { modelRuns = MODEL_RUNS } = {}): void {
  describe(`${harness.name} store`, () => {
    describeEnqueue(harness)
    describeClaimOrder(harness)
    describeClaimManyTypes(harness)
    describeClaimLimits(harness)
    describeRateLimits(harness)
    describeSettle(harness)
    describeSettleRepeat(harness)
    describeFencing(harness)
    describeRunning(harness)
    describeDue(harness)
    describeRescue(harness)
    describeIsolation(harness)
    describeLeases(harness)
    describeActs(harness)
    describeCleanup(harness)
    describeSettings(harness)
    describeWorkers(harness)
    describeTokens(harness)
    describeBulk(harness)
    describeBulkUndo(harness)
    describeRequestId(harness)
    describeReads(harness)
    describeBatch(harness)
    describeCounters(harness)
    describeModel(harness, modelRuns)
  })
}

/** The part that runs on a second server of the same dialect: what another version or other settings could change. */
export function describeStoreCore(harness: StoreHarness): void {
  describe(`${harness.name} store`, () => {
    describeEnqueue(harness)
    describeClaimOrder(harness)
    describeRateLimits(harness)
    describeSettle(harness)
    describeDue(harness)
    describeRescue(harness)
    describeCleanup(harness)
    describeBulk(harness)
    describeBatch(harness)
    describeModel(harness, 2)
  })
}

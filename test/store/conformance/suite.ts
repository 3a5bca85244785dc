/** The conformance suite for stores. */
import { describe } from 'vitest'
import type { StoreHarness } from '../harness.ts'
import { describeClaimLimits } from './claims/claim-limits.ts'
import { describeClaimManyTypes } from './claims/claim-many-types.ts'
import { describeClaimOrder } from './claims/claim-order.ts'
import { describeIsolation } from './claims/isolation.ts'
import { describeLeases } from './claims/leases.ts'
import { describeRateLimits } from './claims/rate-limits.ts'
import { describeRequestId } from './claims/request-id.ts'
import { describeRescue } from './claims/rescue.ts'
import { describeCounters } from './control/counters.ts'
import { describeReads } from './control/reads.ts'
import { describeSchedules } from './control/schedules.ts'
import { describeSettings } from './control/settings.ts'
import { describeTokens } from './control/tokens.ts'
import { describeWorkers } from './control/workers.ts'
import { describeModel } from './model/model-based.ts'
import { describeScheduleModel } from './model/schedule-model-based.ts'
import { describeBatch } from './writes/batch.ts'
import { describeBulk } from './writes/bulk.ts'
import { describeBulkUndo } from './writes/bulk-undo.ts'
import { describeCleanup } from './writes/cleanup.ts'
import { describeDue } from './writes/due.ts'
import { describeEnqueue } from './writes/enqueue-dedupe.ts'
import { describeFencing } from './writes/fencing.ts'
import { describeActs } from './writes/job-actions.ts'
import { describeRunning } from './writes/running.ts'
import { describeSettle } from './writes/settle.ts'
import { describeSettleRepeat } from './writes/settle-repeat.ts'
import { describeTogether } from './writes/together.ts'

/** About ten seconds of random sequences on SQLite; nightly runs use thousands. */
const MODEL_RUNS = 150
const SCHEDULE_RUNS = 30

export function describeStore(
  harness: StoreHarness,
  { modelRuns = MODEL_RUNS, scheduleRuns = SCHEDULE_RUNS } = {},
): void {
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
    describeSchedules(harness)
    describeWorkers(harness)
    describeTokens(harness)
    describeBulk(harness)
    describeBulkUndo(harness)
    describeRequestId(harness)
    describeReads(harness)
    describeBatch(harness)
    describeTogether(harness)
    describeCounters(harness)
    describeModel(harness, modelRuns)
    describeScheduleModel(harness, scheduleRuns)
  })
}

/** The part that runs on a second server of the same dialect: behaviour that may differ by version or settings. */
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
    describeTogether(harness)
    describeModel(harness, 2)
  })
}

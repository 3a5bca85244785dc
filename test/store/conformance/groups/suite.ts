/** The part of the conformance suite that concerns groups. */
import type { StoreHarness } from '../../harness.ts'
import { describeGroupModel } from '../model/model-based.ts'
import { describeGroupBulk } from './bulk.ts'
import { describeGroupBusy } from './busy.ts'
import { describeGroupCommits } from './commits.ts'
import { describeGroupFairness } from './fairness.ts'
import { describeGroupKeys } from './keys.ts'
import { describeGroupLimits } from './limits.ts'
import { describeGroupOverrides } from './overrides.ts'
import { describeRandomGroups } from './random.ts'
import { describeGroupRates } from './rate.ts'
import { describeGroupReads } from './reads.ts'
import { describeGroupReturns } from './returns.ts'
import { describeStrictGroups } from './strict.ts'
import { describeWhenFull } from './when-full.ts'

/** A few seconds of random sequences on SQLite. */
const RANDOM_RUNS = 20
const MODEL_RUNS = 80

export function describeGroups(harness: StoreHarness, { randomRuns = RANDOM_RUNS, modelRuns = MODEL_RUNS } = {}): void {
  describeGroupLimits(harness)
  describeGroupFairness(harness)
  describeGroupRates(harness)
  describeStrictGroups(harness)
  describeWhenFull(harness)
  describeGroupKeys(harness)
  describeGroupOverrides(harness)
  describeGroupReturns(harness)
  describeGroupBusy(harness)
  describeGroupBulk(harness)
  describeGroupCommits(harness)
  describeGroupReads(harness)
  describeRandomGroups(harness, randomRuns)
  describeGroupModel(harness, modelRuns)
}

/** Conformance suite of all stores, on PostgreSQL. */
import { describeStore } from '../conformance/suite.ts'
import { postgresHarness } from './harness.ts'

// About fifteen seconds of random sequences: each commit takes several round trips.
describeStore(postgresHarness(), { modelRuns: 25, scheduleRuns: 6 })

/** The PostgreSQL store, put through everything that every store must do. */
import { describeStore } from '../conformance/suite.ts'
import { postgresHarness } from './harness.ts'

// About fifteen seconds of random sequences: each commit is a handful of round trips.
describeStore(postgresHarness(), { modelRuns: 25 })

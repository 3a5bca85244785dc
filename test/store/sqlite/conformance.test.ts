/** Conformance suite of all stores, on SQLite. */
import { describeStore } from '../conformance/suite.ts'
import { sqliteHarness } from './harness.ts'

describeStore(sqliteHarness())

/** The SQLite store, put through everything that every store must do. */
import { describeStore } from '../conformance/suite.ts'
import { sqliteHarness } from './harness.ts'

describeStore(sqliteHarness())

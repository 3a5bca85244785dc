/** The SQLite store, put through everything that every store must do. */
import { describeStore } from './conformance/suite.ts'
import { sqliteHarness } from './sqlite-harness.ts'

describeStore(sqliteHarness())

/** Conformance of groups, on SQLite. */
import { describe } from 'vitest'
import { describeGroups } from '../conformance/groups/suite.ts'
import { sqliteHarness } from './harness.ts'

describe('groups of the SQLite store', () => describeGroups(sqliteHarness()))

/** Conformance of groups, on PostgreSQL. */
import { describe } from 'vitest'
import { describeGroups } from '../conformance/groups/suite.ts'
import { postgresHarness } from './harness.ts'

describe('groups of the PostgreSQL store', () => describeGroups(postgresHarness(), { randomRuns: 6, modelRuns: 30 }))

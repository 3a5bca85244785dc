/** Conformance on the PostgreSQL that is installed on this machine, with its default settings; skipped without one. */
import { describe } from 'vitest'
import { createInstalledDatabase, hasInstalledPostgres } from '../../../support/postgres/postgres.ts'
import { describeStoreCore } from '../../conformance/suite.ts'
import { postgresHarness } from '../harness.ts'

describe.skipIf(!hasInstalledPostgres())('On an installed server (put its bin folder on the PATH to run these)', () => {
  describeStoreCore(postgresHarness('PostgreSQL with its defaults', createInstalledDatabase))
})

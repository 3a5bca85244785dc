// Test settings. Type tests (test/**/*.test-d.ts) are part of `tsc --noEmit`, not of Vitest.
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Forks, not threads: a native module and tests that kill processes want a process of their own.
    pool: 'forks',
    // One more than there are cores: many tests wait for a process, a connection or a disk.
    maxWorkers: availableParallelism() + 1,
    globalSetup: ['test/support/postgres-setup.ts'],
    testTimeout: 20_000,
    hookTimeout: 20_000,
    // A test that asserts nothing fails.
    expect: { requireAssertions: true },
  },
})

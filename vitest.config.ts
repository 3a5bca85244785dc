// Test settings. Type tests (test/**/*.test-d.ts) are part of `tsc --noEmit`, not of Vitest.
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: {
    // Threads begin from what is compiled for the run: to compile it again in each took most of their time.
    alias: [{ find: /^.*\/base\/threads\.ts$/, replacement: resolve('test/support/compiled/threads.ts') }],
  },
  test: {
    // Proofs need a program that is not everywhere; each has a command of its own.
    include: process.env.PROOF ? [`test/proof/${process.env.PROOF}.test.ts`] : ['test/**/*.test.ts'],
    exclude: ['**/node_modules/**', ...(process.env.PROOF ? [] : ['test/proof/**'])],
    // Forks, not threads: a native module and tests that kill processes want a process of their own.
    pool: 'forks',
    // Files share a process and what it has loaded: each its own took a quarter of the time.
    isolate: false,
    // One more than there are cores: many tests wait for a process, a connection or a disk.
    maxWorkers: availableParallelism() + 1,
    globalSetup: ['test/support/postgres/setup.ts', 'test/support/compiled/setup.ts'],
    // A busy machine is slow, not wrong.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A test that asserts nothing fails.
    expect: { requireAssertions: true },
  },
})

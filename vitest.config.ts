// Test settings. Type tests (test/**/*.test-d.ts) are part of `tsc --noEmit`, not of Vitest.
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'

const { PROOF, FAST } = process.env
/** Slow tests that `npm run test:fast` leaves out: browsers, PostgreSQL, child processes, installs. */
const SLOW = [
  'test/{browser,compatibility,examples,fuzz,openapi,package,shell,start,torture,webhooks}/**',
  'test/api/edges/**',
  'test/worker/{heartbeats/heartbeat-thread,lost-claims,silent-connection,sigterm,stop-under-load}.test.ts',
  'test/{cli/binary,tq/spec}.test.ts',
  'test/store/postgres/**',
  'test/**/*postgres*',
  'test/security/matrix.test.ts',
]

export default defineConfig({
  resolve: {
    // Threads run files that are compiled once per run: compiling them again in each thread took most of their time.
    alias: [{ find: /^.*\/base\/threads\.ts$/, replacement: resolve('test/support/compiled/threads.ts') }],
  },
  test: {
    // Proofs need an installed nginx, Caddy or PgBouncer; each has a separate command.
    include: PROOF ? [`test/proof/${PROOF}.test.ts`] : ['test/**/*.test.ts'],
    exclude: ['**/node_modules/**', ...(PROOF ? [] : ['test/proof/**']), ...(FAST ? SLOW : [])],
    // Suites that run on both stores have the store in their names.
    ...(FAST ? { testNamePattern: /^(?!.*PostgreSQL)/ } : {}),
    // Forks, not threads: native modules and tests that kill processes need separate processes.
    pool: 'forks',
    // Files share a process and its loaded modules, which takes a quarter of the time.
    isolate: false,
    // One more than there are cores, because many tests wait for a process, a connection or a disk.
    maxWorkers: availableParallelism() + 1,
    globalSetup: ['test/support/postgres/setup.ts', 'test/support/compiled/setup.ts'],
    // Generous, for machines under load.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A test without an assertion fails.
    expect: { requireAssertions: true },
  },
})

// Makes a checkout ready to run: checks Node, then installs what is missing. Plain Node without dependencies, because it
// runs before anything is installed. `--tests` also installs the programs that tests need, `--postgres` the PostgreSQL of
// the benchmarks, and `--peers` the queues of the comparison. `--stamp` records an install by npm itself (called from npm's
// `dependencies` hook, which does not run for packages installed as a dependency), so that `npm ci && npm test` installs once.
import { fileURLToPath } from 'node:url'
import { fail, install, isInstalled, markInstalled } from './install.mjs'
import { prepareParts } from './parts.mjs'
import { preparePeers } from './peers.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > 20 || (major === 20 && minor >= 19)) return
  fail(`Millrace needs Node 20.19 or newer; this is ${process.version}. Install a newer Node and try again.`)
}

requireNode()
if (process.argv.includes('--stamp')) {
  markInstalled(root)
} else {
  if (!isInstalled(root)) {
    console.error('Installing the dependencies (once).')
    console.error('If there is no prebuilt binary of better-sqlite3, it is compiled from source (about two minutes).')
    await install(root)
  }
  if (process.argv.includes('--tests')) await prepareParts({ tests: true, postgresUrl: 'TEST_DATABASE_URL' })
  if (process.argv.includes('--postgres')) await prepareParts({ tests: false, postgresUrl: 'BENCH_DATABASE_URL' })
  if (process.argv.includes('--peers')) await preparePeers()
}

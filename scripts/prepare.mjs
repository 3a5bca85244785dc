// Makes a checkout ready to run: checks Node, then installs what is missing. Plain Node without dependencies, because it
// runs before anything is installed. `--tests` also fetches the real parts that tests run, `--postgres` the PostgreSQL of
// the benchmarks and `--peers` the queues that it is compared with. `--stamp` records an install that npm itself has just
// done (npm's `dependencies` hook calls it, which packages that are installed as a dependency do not run), so that `npm ci && npm test` installs once.
import { fileURLToPath } from 'node:url'
import { fail, install, isInstalled, markInstalled } from './install.mjs'
import { prepareParts } from './parts.mjs'
import { preparePeers } from './peers.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > 20 || (major === 20 && minor >= 19)) return
  fail(`Millrace needs Node 20.19 or newer, and this is ${process.version}. Install a newer Node and try again.`)
}

requireNode()
if (process.argv.includes('--stamp')) {
  markInstalled(root)
} else {
  if (!isInstalled(root)) {
    console.error('Installing the dependencies, which is done once.')
    console.error('Where better-sqlite3 has no prebuilt binary it compiles from source: about two minutes more.')
    await install(root)
  }
  if (process.argv.includes('--tests')) await prepareParts({ tests: true, postgresUrl: 'TEST_DATABASE_URL' })
  if (process.argv.includes('--postgres')) await prepareParts({ tests: false, postgresUrl: 'BENCH_DATABASE_URL' })
  if (process.argv.includes('--peers')) await preparePeers()
}

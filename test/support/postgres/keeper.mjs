// Runs a temporary PostgreSQL server while its standard input is open. When the tests pass, fail or are killed, the pipe closes, and
// the server and its folder are removed. The first argument holds settings as JSON. With `installed` as second argument it runs the
// server that is installed on this machine, with default settings. A line on standard input crashes and restarts the server; it
// prints a line when the server is ready again.
import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { postgresInstalled, postgresPart, programIn } from '../../../scripts/postgres.mjs'

const UNPRIVILEGED = 65534
const READY = 'database system is ready to accept connections'
const START_MS = 30_000

/** No durability is needed. fsync stays on, because the store refuses a database without it. */
const FAST = {
  max_connections: 200,
  synchronous_commit: 'off',
  checkpoint_timeout: '1h',
  max_wal_size: '4GB',
  wal_level: 'minimal',
  max_wal_senders: 0,
}

/** PostgreSQL refuses to run as root. */
const user = process.getuid?.() === 0 ? { uid: UNPRIVILEGED, gid: UNPRIVILEGED } : {}
const settings = JSON.parse(process.argv[2] ?? '{}')
const isInstalled = process.argv[3] === 'installed'
const folder = mkdtempSync(join(tmpdir(), 'millrace-postgres-'))
let server
let restart = () => {}
let ending = false

for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM']) process.on(signal, end)
process.stdin.on('data', () => restart())
process.stdin.on('end', end).on('error', end)
// The parent process may end before the output is written.
process.stdout.on('error', end)

try {
  give(folder)
  const programs = programsFor(part())
  const password = randomBytes(12).toString('hex')
  createCluster(programs, password)
  const port = await freePort()
  await start(programs, port)
  process.stdout.write(`postgres://postgres:${password}@127.0.0.1:${port}/postgres\n`)
  restart = () => crashAndStart(programs, port).catch(fail)
} catch (error) {
  fail(error)
}

function fail(error) {
  console.error(error.message)
  process.exitCode = 1
  end()
}

function part() {
  if (isInstalled) {
    const installed = postgresInstalled()
    if (installed) return installed
    throw new Error(
      'No PostgreSQL is installed on this machine, or none in a usual folder; put its bin folder on the PATH.',
    )
  }
  const found = postgresPart()
  if (found) return found
  throw new Error('There is no PostgreSQL yet: run `node scripts/prepare.mjs --tests`, or set TEST_DATABASE_URL.')
}

/** The package, or a copy when the other user cannot read it, for example in the home folder of root. */
function programsFor(native) {
  const trial = spawnSync(programIn(native, 'postgres'), ['--version'], { ...user, cwd: folder })
  if (trial.error?.code !== 'EACCES') return native
  const copy = join(folder, 'native')
  // Symbolic links would point to the unreadable folder.
  cpSync(native, copy, { recursive: true, dereference: true })
  return copy
}

function createCluster(programs, password) {
  const data = join(folder, 'data')
  mkdirSync(data)
  chmodSync(data, 0o700)
  give(data)
  const passwordFile = join(folder, 'password')
  writeFileSync(passwordFile, password, { mode: 0o600 })
  give(passwordFile)
  const made = spawnSync(
    programIn(programs, 'initdb'),
    [
      ...['-D', data, '-U', 'postgres', '-A', 'scram-sha-256', '--pwfile', passwordFile],
      ...['--no-sync', '--no-instructions', '-E', 'UTF8'],
      // One iteration: the password is used for seconds only. An installed server keeps the locale of its environment.
      ...(isInstalled ? [] : ['-c', 'scram_iterations=1', '--no-locale']),
    ],
    { ...user, cwd: folder, encoding: 'utf8' },
  )
  if (made.status !== 0) throw new Error(`initdb failed: ${made.error?.message ?? made.stderr}`)
}

/** Like `pg_ctl restart -m immediate`: no checkpoint; the next start recovers from the WAL. */
async function crashAndStart(programs, port) {
  await new Promise((resolve) => {
    server.once('exit', resolve)
    server.kill('SIGQUIT')
  })
  if (ending) return
  await start(programs, port)
  process.stdout.write('again\n')
}

function start(programs, port) {
  const given = {
    ...{ port, listen_addresses: '127.0.0.1', unix_socket_directories: '' },
    ...(isInstalled ? {} : FAST),
    ...settings,
  }
  const options = Object.entries(given).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  server = spawn(programIn(programs, 'postgres'), ['-D', join(folder, 'data'), ...options], {
    ...user,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
    // A separate process group: Ctrl-C in the terminal ends the tests, and then this process ends the server.
    detached: true,
  })
  let log = ''
  return new Promise((resolve, reject) => {
    const refuse = (reason) => reject(new Error(`PostgreSQL ${reason}: ${log}`))
    const timer = setTimeout(refuse, START_MS, 'does not start')
    server.once('error', refuse)
    server.once('exit', (code) => refuse(`ended with ${code}`))
    server.stderr.setEncoding('utf8').on('data', (text) => {
      // Only the end of the log is kept.
      log = (log + text).slice(-10_000)
      if (!log.includes(READY)) return
      clearTimeout(timer)
      resolve()
    })
  })
}

function end() {
  if (ending) return
  ending = true
  const leave = () => {
    rmSync(folder, { recursive: true, force: true })
    process.exit()
  }
  if (!server?.pid || server.exitCode !== null || server.signalCode !== null) return leave()
  server.once('exit', leave)
  // Immediately and without a checkpoint: the database is not used again.
  server.kill('SIGQUIT')
}

function give(path) {
  if (user.uid !== undefined) chownSync(path, user.uid, user.gid)
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address()
      probe.close(() => resolve(port))
    })
  })
}

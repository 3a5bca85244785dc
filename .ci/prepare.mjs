// Makes node_modules fit this checkout: checks Node, then installs only when the lock file or the platform changed.
// Plain Node without dependencies, because it runs before anything is installed. `--stamp` records an install that
// npm itself has just done (npm's `prepare` hook calls it), so that `npm ci && npm test` installs once.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const stampFile = `${root}node_modules/.millrace-stamp`

function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > 20 || (major === 20 && minor >= 19)) return
  fail(`Millrace needs Node 20.19 or newer, and this is ${process.version}. Install a newer Node and try again.`)
}

// The ABI and the platform belong to the stamp because better-sqlite3 is a native module.
function expectedStamp() {
  const lock = createHash('sha256')
    .update(readFileSync(`${root}package-lock.json`))
    .digest('hex')
  return `${lock} abi-${process.versions.modules} ${process.platform}-${process.arch}\n`
}

// An install with `--omit=dev` has the right lock file and still cannot run the tests.
function isComplete() {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))
  const names = Object.keys({ ...dependencies, ...devDependencies })
  return names.every((name) => existsSync(`${root}node_modules/${name}/package.json`))
}

function isFresh() {
  return existsSync(stampFile) && readFileSync(stampFile, 'utf8') === expectedStamp() && isComplete()
}

function install() {
  console.error('Installing dependencies. Where better-sqlite3 has no prebuilt binary it compiles: about two minutes.')
  const { NODE_ENV: _, ...env } = process.env
  const npm = process.env.npm_execpath
  const args = ['ci', '--include=dev']
  const options = { cwd: root, env, stdio: 'inherit' }
  const result = npm
    ? spawnSync(process.execPath, [npm, ...args], options)
    : spawnSync('npm', args, { ...options, shell: process.platform === 'win32' })
  if (result.status !== 0) fail('npm ci failed; its own message above says why.', result.status ?? 1)
  if (!isComplete()) fail('npm ci left dependencies out; check the npm settings `omit` and `include`.')
}

function fail(message, code = 1) {
  console.error(message)
  process.exit(code)
}

requireNode()
if (process.argv.includes('--stamp')) {
  if (isComplete()) writeFileSync(stampFile, expectedStamp())
} else if (!isFresh()) {
  install()
  writeFileSync(stampFile, expectedStamp())
}

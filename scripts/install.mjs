// Installs the packages of one folder with `npm ci` if its lock file or the platform changed. A stamp in node_modules
// identifies the current install.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ended, killGroup, onStop, start, startNode } from './children.mjs'

const STILL_HERE_MS = 30_000

/** `omit`: dependency kinds to skip, `dev` or `optional`. */
export function isInstalled(folder, omit = []) {
  const file = stampFile(folder)
  return existsSync(file) && readFileSync(file, 'utf8') === expectedStamp(folder) && isComplete(folder, omit)
}

/** Runs `npm ci`; exits with one line if it fails. */
export async function install(folder, omit = []) {
  rmSync(stampFile(folder), { force: true })
  const startedAt = performance.now()
  const seconds = () => Math.round((performance.now() - startedAt) / 1000)
  const stillHere = setInterval(() => console.error(`Still installing after ${seconds()} s.`), STILL_HERE_MS)
  const kinds = ['dev', 'optional'].map((kind) => `--${omit.includes(kind) ? 'omit' : 'include'}=${kind}`)
  const code = await runNpm(folder, ['ci', ...kinds, '--no-audit', '--no-fund', '--loglevel=error'])
  clearInterval(stillHere)
  if (code !== 0) fail('The install failed; see the npm output above. Fix the cause and run the same command again.')
  if (!isComplete(folder, omit)) fail('npm ci left dependencies out; check the npm settings `omit` and `include`.')
  markInstalled(folder, omit)
  console.error(`Installed in ${seconds()} s.`)
}

/** Writes the stamp for an install that npm has just finished. */
export function markInstalled(folder, omit = []) {
  if (isComplete(folder, omit)) writeFileSync(stampFile(folder), expectedStamp(folder))
}

export function fail(message) {
  console.error(message)
  process.exit(1)
}

function stampFile(folder) {
  return join(folder, 'node_modules/.millrace-stamp')
}

// The stamp includes ABI and platform, because better-sqlite3 is a native module.
function expectedStamp(folder) {
  const lock = createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex')
  return `${lock} abi-${process.versions.modules} ${process.platform}-${process.arch}\n`
}

// An install with `--omit=dev` has the right lock file and still cannot build or test. Optional ones depend on the platform.
function isComplete(folder, omit) {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const names = Object.keys({ ...dependencies, ...(omit.includes('dev') ? {} : devDependencies) })
  return names.every((name) => existsSync(join(folder, 'node_modules', name, 'package.json')))
}

// NODE_ENV=production would make npm leave out the tools that build and test.
function runNpm(folder, args) {
  const { NODE_ENV: _, npm_execpath: caller = '', ...env } = process.env
  // Errors and progress are on stderr; the stdout of npm is not useful for the command that the user ran.
  const options = { cwd: folder, env, stdio: ['ignore', 'ignore', 'inherit'] }
  // The npm that runs this script, if any; npm may not be on the PATH.
  const npm = caller.endsWith('npm-cli.js')
    ? startNode([caller, ...args], options)
    : start('npm', args, { ...options, shell: process.platform === 'win32' })
  // A compiler that keeps running would disturb the next install.
  const release = onStop((code) => {
    npm.once('close', () => process.exit(code))
    killGroup(npm)
  })
  return ended(npm).finally(release)
}

// Builds everything that runs into dist/: the server with tsc, the migrations, and the dashboard with Vite.
// `--if-changed` skips the build if dist/ is up to date. The result is built next to dist/ and replaces it when complete,
// so a failed or interrupted build leaves dist/ unchanged.
import { createHash } from 'node:crypto'
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rm, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ended, killGroup, onStop, startNode } from './children.mjs'

const SOURCES = ['shared', 'drizzle', 'server', 'client', 'bench']
const SETTINGS = ['tsconfig.json', 'tsconfig.build.json', 'package.json', 'package-lock.json', 'scripts/build.mjs']
const RESULTS = ['dist/server/main.js', 'dist/client/index.html']
const STAMP = 'dist/.stamp'

// Siblings of dist/, because the paths in source maps are relative.
const next = `dist-next-${process.pid}`
const old = `dist-old-${process.pid}`

process.chdir(fileURLToPath(new URL('..', import.meta.url)))
const sources = hashSources()
if (!process.argv.includes('--if-changed') || !isBuiltFrom(sources)) await build()

async function build() {
  const startedAt = performance.now()
  for (const path of ['server/main.ts', 'client/index.html', 'client/vite.config.ts']) {
    if (!existsSync(path)) fail(`The build needs ${path}, which is missing.`)
  }
  console.error('Building the server and the dashboard.')
  removeLeftovers()
  await compile()
  for (const dialect of ['sqlite', 'postgres']) {
    const migrations = `drizzle/${dialect}/migrations`
    if (existsSync(migrations)) cpSync(migrations, join(next, migrations), { recursive: true })
  }
  takePlace()
  console.error(`Built in ${((performance.now() - startedAt) / 1000).toFixed(1)} s.`)
}

// In parallel: both together take little longer than tsc alone.
async function compile() {
  // NODE_ENV selects the React build of the dashboard; without it Vite uses production.
  const { NODE_ENV: _, ...env } = process.env
  const options = { env, stdio: ['ignore', 'inherit', 'inherit'] }
  const tsc = startNode(['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json', '--outDir', next], options)
  const vite = startNode(
    [
      ...['node_modules/vite/bin/vite.js', 'build', 'client', '--logLevel', 'warn'],
      ...['--outDir', resolve(next, 'client'), '--emptyOutDir'],
    ],
    options,
  )
  let stopCode
  onStop((code) => {
    stopCode = code
    killGroup(tsc)
    killGroup(vite)
  })

  const [tscCode, viteCode] = await Promise.all([ended(tsc), ended(vite)])
  const failed = [tscCode !== 0 && 'the server (tsc)', viteCode !== 0 && 'the dashboard (Vite)'].filter(Boolean)
  if (failed.length === 0 && !stopCode) return
  rmSync(next, { recursive: true, force: true })
  if (stopCode) process.exit(stopCode)
  fail(`The build of ${failed.join(' and ')} failed; see the errors above. dist/ is unchanged.`)
}

// Only a complete build gets a stamp, as the last step.
function takePlace() {
  if (existsSync('dist')) renameSync('dist', old)
  renameSync(next, 'dist')
  writeFileSync(STAMP, sources)
  rmSync(old, { recursive: true, force: true })
}

// Leftovers of a killed build. Its tsc may still be writing, so the next build may have to remove the rest.
function removeLeftovers() {
  for (const name of readdirSync('.')) {
    const pid = /^dist-(?:next|old)-(\d+)$/.exec(name)?.[1]
    if (pid && !isRunning(Number(pid))) rm(name, { recursive: true, force: true }, () => {})
  }
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error.code === 'EPERM'
  }
}

function isBuiltFrom(hash) {
  return RESULTS.every((path) => existsSync(path)) && existsSync(STAMP) && readFileSync(STAMP, 'utf8') === hash
}

function hashSources() {
  const hash = createHash('sha256')
  for (const path of [...SETTINGS, ...SOURCES.flatMap(filesIn)]) {
    const content = readFileSync(path)
    hash.update(`${path}\n${content.length}\n`).update(content)
  }
  return hash.digest('hex')
}

function filesIn(folder) {
  if (!existsSync(folder)) return []
  return (
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      // Files that benchmarks install or write are not sources.
      .filter((path) => !/node_modules|bench.results/.test(path))
      .sort()
  )
}

function fail(message) {
  console.error(message)
  process.exit(1)
}

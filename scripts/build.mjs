// Builds everything that runs into dist/: the server with tsc, the migrations, and the dashboard with Vite.
// `--if-changed` does nothing when dist/ was built from the sources as they are now. The result is put together beside
// dist/ and takes its place when it is whole, so a build that fails or is interrupted leaves dist/ as it was.
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
    if (!existsSync(path)) fail(`The build needs ${path}, which is not there.`)
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

// Side by side, because both together take little longer than tsc alone.
async function compile() {
  // NODE_ENV decides which React goes into the dashboard; without one Vite takes the production build.
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
  fail(`The build of ${failed.join(' and ')} failed, for the reason above. dist/ is as it was.`)
}

// Only a whole build gets a stamp, and it gets it last.
function takePlace() {
  if (existsSync('dist')) renameSync('dist', old)
  renameSync(next, 'dist')
  writeFileSync(STAMP, sources)
  rmSync(old, { recursive: true, force: true })
}

// What a killed build left behind. Its tsc may go on writing for a moment, so some may stay for the next build to remove.
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
      // What a benchmark installs or writes down is no source.
      .filter((path) => !/node_modules|bench.results/.test(path))
      .sort()
  )
}

function fail(message) {
  console.error(message)
  process.exit(1)
}

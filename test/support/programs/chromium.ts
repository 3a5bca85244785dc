/** Chromium for tests: the installed one, else the one that `npm test` downloads. */
import { type Browser, chromium } from 'playwright-core'
import { chromiumPart, systemChromium } from '../../../scripts/chromium.mjs'

// --no-sandbox allows root in a container; the other flags disable background network requests.
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export async function launchChromium(): Promise<Browser> {
  const executablePath = systemChromium()
  if (executablePath) return chromium.launch({ executablePath, args: FLAGS })
  const part = chromiumPart()
  if (!part) throw new Error('There is no Chromium yet: run `node scripts/prepare.mjs --tests`, or set CHROMIUM_PATH.')
  return chromium.launch({ executablePath: part.executablePath, env: { ...process.env, ...part.env }, args: FLAGS })
}

// Finds the Chromium for browser tests: an installed one, else the package in test/parts.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const programFiles = [process.env.PROGRAMFILES, process.env['PROGRAMFILES(X86)'], process.env.LOCALAPPDATA]

const PLACES = {
  linux: ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome', '/usr/bin/google-chrome-stable'],
  darwin: [
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
  ],
  win32: [
    ...programFiles.map((folder) => folder && join(folder, 'Google/Chrome/Application/chrome.exe')),
    ...programFiles.map((folder) => folder && join(folder, 'Microsoft/Edge/Application/msedge.exe')),
  ].filter(Boolean),
}

/** Folder of the unpacked package. */
export const CHROMIUM_PART = fileURLToPath(new URL('../test/parts/node_modules/.chromium', import.meta.url))

/** Path of an installed Chromium or Chrome; undefined: none. */
export function systemChromium() {
  const chosen = process.env.CHROMIUM_PATH
  if (!chosen) return PLACES[process.platform]?.find((path) => existsSync(path))
  if (!existsSync(chosen)) throw new Error(`CHROMIUM_PATH is ${chosen}, which does not exist.`)
  return chosen
}

/** The unpacked package with the environment for its libraries and fonts; undefined: missing. */
export function chromiumPart(folder = CHROMIUM_PART) {
  const executablePath = join(folder, 'chromium')
  if (!existsSync(executablePath)) return undefined
  const libraries = [join(folder, 'al2023/lib'), process.env.LD_LIBRARY_PATH].filter(Boolean).join(':')
  return { executablePath, env: { LD_LIBRARY_PATH: libraries, FONTCONFIG_PATH: join(folder, 'fonts') } }
}

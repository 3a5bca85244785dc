/** Packages that are installed only where they are used: loads a part that needs some, or says what to install. */
import { QueueError } from '../../shared/errors.ts'
import { isBundled, isInstalled, isMissing } from './own-files.ts'

interface Need {
  /** Begins the message. */
  readonly what: string
  readonly packages: readonly string[]
}

/** As npm is to install them, where not the newest is wanted: better-sqlite3 13 does not run on Node 20. */
const INSTALL_AS: ReadonlyMap<string, string> = new Map([['better-sqlite3', 'better-sqlite3@12']])

export const NEEDS = {
  sqlite: { what: 'A queue on a SQLite file', packages: ['better-sqlite3', 'drizzle-orm'] },
  postgres: { what: 'A queue on PostgreSQL', packages: ['pg', 'drizzle-orm'] },
  dashboard: { what: 'The dashboard', packages: ['express', '@trpc/server'] },
  server: { what: 'The server', packages: ['express', '@trpc/server', 'pino'] },
} as const satisfies Record<string, Need>

/** `load` imports the part; bundlers see the import there. */
export async function loadPart<Part>(need: Need, load: () => Promise<Part>): Promise<Part> {
  try {
    return await load()
  } catch (error) {
    throw missing(need, error) ?? error
  }
}

/** For calls that cannot wait for the part: refuses at once. What a bundle has taken in cannot be looked for. */
export function requireInstalled(need: Need): void {
  if (!isBundled() && !need.packages.every(isInstalled)) throw absentError(need)
}

/** The error that says what to install, when `error` is about a package of `need`. */
export function missing(need: Need, error: unknown): QueueError | null {
  return need.packages.some((name) => isMissing(error, name)) ? absentError(need) : null
}

function absentError({ what, packages }: Need): QueueError {
  // What a bundle has taken in cannot be looked for.
  const absent = isBundled() ? [] : packages.filter((name) => !isInstalled(name))
  const named = absent.length === 0 ? packages : absent
  const install = named.map((name) => INSTALL_AS.get(name) ?? name)
  return new QueueError('UNSUPPORTED', `${what} needs ${named.join(' and ')}; run: npm install ${install.join(' ')}`)
}

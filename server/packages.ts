/** Packages that are installed only where they are used: loads a part that needs some, or says what to install. */
import { QueueError } from '../shared/errors.ts'
import { isBundled, isInstalled, isMissing } from './own-files.ts'

interface Need {
  /** Begins the message. */
  readonly what: string
  readonly packages: readonly string[]
  /** As npm is to install them. */
  readonly install: string
}

export const NEEDS = {
  sqlite: {
    what: 'A queue on a SQLite file',
    packages: ['better-sqlite3', 'drizzle-orm'],
    install: 'better-sqlite3@12 drizzle-orm',
  },
  postgres: { what: 'A queue on PostgreSQL', packages: ['pg', 'drizzle-orm'], install: 'pg drizzle-orm' },
  dashboard: {
    what: 'The dashboard',
    packages: ['express', '@trpc/server'],
    install: 'express @trpc/server',
  },
  server: {
    what: 'The server',
    packages: ['express', '@trpc/server', 'pino'],
    install: 'express @trpc/server pino',
  },
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
  if (!isBundled() && !need.packages.every(isInstalled)) throw absent(need)
}

/** The error that says what to install, when `error` is about a package of `need`. */
export function missing(need: Need, error: unknown): QueueError | null {
  return need.packages.some((name) => isMissing(error, name)) ? absent(need) : null
}

function absent({ what, packages, install }: Need): QueueError {
  return new QueueError('UNSUPPORTED', `${what} needs ${packages.join(' and ')}; run: npm install ${install}`)
}

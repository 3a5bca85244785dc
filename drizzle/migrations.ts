/** Where the generated migrations live, in the source tree and in the build alike. */
import { fileURLToPath } from 'node:url'

/** Not Drizzle's default: an application that keeps its tables in the same database has its own journal there. */
export const MIGRATIONS_TABLE = 'millrace_migrations'

export function migrationsFolder(dialect: 'sqlite' | 'postgres'): string {
  return fileURLToPath(new URL(`./${dialect}/migrations`, import.meta.url))
}

/** Where the generated migrations live, in the source tree and in the build alike. */
import { fileURLToPath } from 'node:url'

export function migrationsFolder(dialect: 'sqlite' | 'postgres'): string {
  return fileURLToPath(new URL(`./${dialect}/migrations`, import.meta.url))
}

/** Where the generated migrations lie, in the source tree and in the build alike. */
import { ownFile } from '../../base/own-files.ts'

export function migrationsFolder(dialect: 'sqlite' | 'postgres'): string {
  return ownFile(`drizzle/${dialect}/migrations`, 'its migrations')
}

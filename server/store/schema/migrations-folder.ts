/** Folder of the generated migrations, in the source tree and in the build. */
import { ownFile } from '../../base/own-files.ts'

export function migrationsFolder(dialect: 'sqlite' | 'postgres'): string {
  return ownFile(`drizzle/${dialect}/migrations`, 'its migrations')
}

/** Migrates a file, with the given migrations or the real ones; the test kills it during the migration. */
import { writeSync } from 'node:fs'
import { migrate } from '../../../server/store/sqlite/connection/migrate.ts'
import { openSqliteConnection } from '../../../server/store/sqlite/connection/open.ts'

const [file = '', folder] = process.argv.slice(2)
const connection = openSqliteConnection({ file, durability: 'full' })
writeSync(1, 'open\n')
migrate(connection, folder)
connection.client.close()

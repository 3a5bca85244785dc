/** Migrates a file, with the given migrations or the real ones; made to be killed on the way. */
import { writeSync } from 'node:fs'
import { migrate } from '../../../server/store/sqlite/connection/migrate.ts'
import { openDatabase } from '../../../server/store/sqlite/connection/open.ts'

const [file = '', folder] = process.argv.slice(2)
const connection = openDatabase(file, 'full')
writeSync(1, 'open\n')
migrate(connection, folder)
connection.client.close()

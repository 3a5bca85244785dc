/** Migrates a database with the given migrations; made to be killed on the way. */
import { migrate } from '../../../server/store/postgres/connection/migrate.ts'
import { openDatabase } from '../../../server/store/postgres/connection/open.ts'

const [url = '', folder] = process.argv.slice(2)
const { pool } = await openDatabase(url)
await migrate(pool, folder)
await pool.end()

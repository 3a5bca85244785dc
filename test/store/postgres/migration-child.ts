/** Migrates a database with the given migrations; the test kills it during the migration. */
import { migrate } from '../../../server/store/postgres/connection/migrate.ts'
import { connectPostgres } from '../../../server/store/postgres/connection/open.ts'

const [url = '', folder] = process.argv.slice(2)
const { pool } = await connectPostgres(url)
await migrate(pool, folder)
await pool.end()

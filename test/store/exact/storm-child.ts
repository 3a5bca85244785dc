/** A separate process that works on a SQLite file until it is empty, and reports its counts. */
import { systemClock } from '../../../server/base/clock.ts'
import { createEngine } from '../../../server/engine/engine.ts'
import { openSqliteStoreSync } from '../../../server/store/sqlite/store.ts'
import { seeded } from '../../support/seeded.ts'
import { storm } from './storm.ts'

const [file = '', seed = '', scopes = '[]'] = process.argv.slice(2)
const engine = createEngine({ store: openSqliteStoreSync({ file, clock: systemClock, durability: 'normal' }) })
const tally = await storm(engine, { random: seeded(Number(seed)).random, scopes: JSON.parse(scopes) })
await engine.close()
process.stdout.write(JSON.stringify(tally))

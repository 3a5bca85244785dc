/** A separate process that works on a SQLite file until it is empty, and reports its counts. */
import { systemClock } from '../../../server/base/clock.ts'
import { createEngine } from '../../../server/engine/engine.ts'
import { openSqliteStoreSync } from '../../../server/store/sqlite/store.ts'
import { seeded } from '../../support/seeded.ts'
import { workUntilEmpty } from './work-until-empty.ts'

const [file = '', seed = '', typesOfWorkers = '[]'] = process.argv.slice(2)
const engine = createEngine({ store: openSqliteStoreSync({ file, clock: systemClock, durability: 'normal' }) })
const tally = await workUntilEmpty(engine, {
  random: seeded(Number(seed)).random,
  typesOfWorkers: JSON.parse(typesOfWorkers),
})
await engine.close()
process.stdout.write(JSON.stringify(tally))

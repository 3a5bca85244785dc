/** Owns a file until it is killed. */
import { writeSync } from 'node:fs'
import { systemClock } from '../../../server/base/clock.ts'
import { openSqliteStore } from '../../../server/store/sqlite/store.ts'

await openSqliteStore({ file: process.argv[2] ?? '', clock: systemClock, owner: true })
writeSync(1, 'owned\n')
setInterval(() => {}, 1_000)

/** Holds the owner lock of a file until it is killed. */
import { writeSync } from 'node:fs'
import { systemClock } from '../../../../server/base/clock.ts'
import { openSqliteStoreSync } from '../../../../server/store/sqlite/store.ts'

const store = openSqliteStoreSync({ file: process.argv[2] ?? '', clock: systemClock, owner: true })
writeSync(1, 'owned\n')
// Keeps the store alive: garbage collection of an unreferenced store closes its file.
setInterval(() => void store.now(), 1_000)

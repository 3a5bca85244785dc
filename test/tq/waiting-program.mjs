// A program with nothing but workers: it lives until it is stopped.
import Database from 'better-sqlite3'
import { tq } from '../../server/sdk/entries/tq.ts'

tq.init({ db: new Database(process.argv[2]) })
tq.pause()

tq('wait').setWorker(async (words) => {
  console.log(words)
  if (words === 'ran after a wait') tq.stop()
})

tq('wait').add('ran after the pause')
// Neither of these keeps a process alive.
setTimeout(() => {
  tq.resume()
  tq('wait').add('ran after a wait', { delayMs: 2_000 })
}, 2_000).unref()

// A program that makes every call of tq in the form that the task queue specification gives it.
import Database from 'better-sqlite3'
import { tq } from '../../server/sdk/entries/tq.ts'

const [file, site] = process.argv.slice(2)
const print = (...words) => console.log(words.join(' '))

const db = new Database(file)
tq.init({ db, pollInterval: 1000, batchSize: 10 })

// All settings in one chain; the handler uses its payload without a type.
tq('fetch_page')
  .setWorker(async (payload) => {
    const response = await fetch(payload.address)
    await response.text()
  })
  .setWorkerCount(3)
  .setRateLimit(10)
  .setTimeout(300)
  .setMaxAttempts(5)

// One call after the other, and a chain of them.
tq('fetch_page').add({ address: `${site}/first` })
tq('fetch_page').add({ address: `${site}/second` })
tq('fetch_page')
  .add({ address: `${site}/a` })
  .add({ address: `${site}/b` })
  .add({ address: `${site}/c` })

// A second type, one at a time, with fewer settings.
tq('notify')
  .setWorker(async (payload) => print('notified', payload.user))
  .setWorkerCount(1)
  .setRateLimit(5)
tq('notify').add({ user: 'ada', about: 'a new order' })

// Handlers that read several fields.
tq('write_letter')
  .setWorker(async (payload) => {
    print('wrote', [payload.to, payload.title, payload.text].join('|'))
  })
  .setWorkerCount(2)
  .setRateLimit(10)
  .setTimeout(30)
tq('shrink_picture')
  .setWorker(async (payload) => print('shrank', payload.path))
  .setWorkerCount(4)
  .setRateLimit(20)
  .setTimeout(300)
tq('write_letter').add({ to: 'grace', title: 'Thanks', text: 'See you soon' })
tq('shrink_picture').add({ path: '/pictures/7.jpg' })

// A task for a later day.
tq('write_letter').add({ to: 'later', title: 'Reminder' }, { run_after: new Date('2125-12-31') })

tq.pause()
tq.resume()
const stats = tq.stats()
print('stats', JSON.stringify(stats))

// The end: when everything that is due has run.
const timer = setInterval(async () => {
  if (tq.stats()['to-do'] + tq.stats()['in-progress'] > 1) return
  clearInterval(timer)
  print('stats', JSON.stringify(tq.stats()))
  await tq.stop()
}, 10)

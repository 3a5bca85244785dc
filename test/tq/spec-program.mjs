// The example programs of the task queue specification, as they stand there but for imports, addresses and an end.
import Database from 'better-sqlite3'
import { tq } from '../../server/tq-entry.ts'

const [file, site] = process.argv.slice(2)
const say = (...words) => console.log(words.join(' '))
const sendEmail = async (to, subject, body) =>
  say('sent', typeof to === 'string' ? [to, subject, body].join('|') : to.to)
const processImage = async (imageUrl) => say('processed', imageUrl)

// 8.1 New SQLite database
const db = new Database(file)

// 5. Initialize once (app startup)
tq.init({ db, pollInterval: 1000, batchSize: 10 })

// 2.1 Setup worker
tq('crawl')
  .setWorker(async (payload) => {
    say('crawling', payload.url)
    await fetch(payload.url)
  })
  .setWorkerCount(3)
  .setRateLimit(10) // 10 tasks/sec for crawl type
  .setTimeout(300) // 5 min timeout for crawl tasks
  .setMaxAttempts(5) // Retry up to 5 times

// Enqueue tasks
tq('crawl').add({ url: `${site}/google` })
tq('crawl').add({ url: `${site}/baidu` })

// Can also chain adds
tq('crawl')
  .add({ url: `${site}/1` })
  .add({ url: `${site}/2` })
  .add({ url: `${site}/3` })

// Different task types, different configs
tq('email')
  .setWorker(async (payload) => await sendEmail(payload))
  .setWorkerCount(1) // Sequential
  .setRateLimit(5) // 5 emails/sec

tq('email').add({ to: 'user@example.com', subject: 'Hello' })

// 5. Setup workers (per task type)
tq('send_email')
  .setWorker(async (payload) => {
    await sendEmail(payload.to, payload.subject, payload.body)
  })
  .setWorkerCount(2)
  .setRateLimit(10)
  .setTimeout(30)

tq('process_image')
  .setWorker(async (payload) => {
    await processImage(payload.imageUrl)
  })
  .setWorkerCount(4)
  .setRateLimit(20)
  .setTimeout(300)

// Enqueue tasks (anywhere in app)
tq('send_email').add({
  to: 'user@example.com',
  subject: 'Welcome',
  body: 'Hello!',
})

tq('process_image').add({ imageUrl: '/uploads/photo.jpg' })

// Advanced: Custom options
tq('send_email').add({ to: 'vip@example.com', subject: 'Important' }, { run_after: new Date('2125-12-31') })

// Global controls
tq.pause() // Pause all workers
tq.resume() // Resume all workers
const stats = tq.stats() // Get queue statistics
say('stats', JSON.stringify(stats))

// The end: when everything that is due has run.
const timer = setInterval(async () => {
  if (tq.stats()['to-do'] + tq.stats()['in-progress'] > 1) return
  clearInterval(timer)
  say('stats', JSON.stringify(tq.stats()))
  await tq.stop() // Graceful shutdown
}, 10)

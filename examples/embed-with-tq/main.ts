/** Application with an embedded queue: one SQLite file, one process, no server. */
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { tq } from 'millrace/tq'

interface Page {
  url: string
  depth?: number
}

const file = process.argv[2] ?? './data/app.db'
mkdirSync(dirname(file), { recursive: true })
const db = new Database(file)
// The same durability as the queue's own connection.
db.pragma('synchronous = FULL')
tq.init({ db })

tq<Page>('crawl')
  .setWorker(async ({ url, depth = 0 }) => {
    console.log(`crawling ${url}`)
    if (depth === 0) tq<Page>('crawl').add({ url: `${url}/about`, depth: 1 })
    if (url.endsWith('/about')) tq<{ url: string }>('report').add({ url })
  })
  .setWorkerCount(3)
  .setRateLimit(50)
  .setMaxAttempts(5)

const reported: string[] = []
const done = new Promise<void>((resolve) => {
  tq<{ url: string }>('report')
    .setWorker(async ({ url }) => {
      reported.push(url)
      if (reported.length === 2) resolve()
    })
    .setWorkerCount(1)
})

// The page and its job are stored together, or not at all.
db.exec('CREATE TABLE IF NOT EXISTS pages (url text PRIMARY KEY)')
db.transaction(() => {
  for (const url of ['https://example.com', 'https://example.org']) {
    db.prepare('INSERT OR IGNORE INTO pages (url) VALUES (?)').run(url)
    tq<Page>('crawl').add({ url })
  }
})()

await done
await tq.stop()
console.log(`reported ${reported.sort().join(' and ')}`)
db.close()

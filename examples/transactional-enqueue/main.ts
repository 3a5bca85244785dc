/** Stores an order and enqueues its confirmation in one transaction. */
import Database from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { openEngine } from 'millrace'

const file = process.argv[2] ?? './data/shop.db'
const orders = sqliteTable('orders', { id: integer('id').primaryKey(), item: text('item').notNull() })

const engine = await openEngine({ url: `sqlite:${file}` })
const client = new Database(file)
client.pragma('journal_mode = WAL')
client.pragma('synchronous = FULL')
client.exec('CREATE TABLE IF NOT EXISTS orders (id integer PRIMARY KEY, item text NOT NULL)')
const db = drizzle(client)

function placeOrder(item: string, isPaid: boolean): void {
  db.transaction((tx) => {
    const order = tx.insert(orders).values({ item }).returning().get()
    engine.enqueueTx(tx, { type: 'confirm', payload: { order: order.id } })
    if (!isPaid) throw new Error(`the payment for ${item} was declined`)
  })
}

placeOrder('a lamp', true)
try {
  placeOrder('a piano', false)
} catch (error) {
  console.log(`rolled back: ${error instanceof Error ? error.message : error}`)
}

console.log('orders:', db.select().from(orders).all())
const [job, ...none] = await engine.claim({ worker: 'example', types: ['confirm'], limit: 10 })
console.log('to confirm:', job?.payload, `and ${none.length} more`)
if (job) await engine.complete({ id: job.id, version: job.version })

client.close()
await engine.close()

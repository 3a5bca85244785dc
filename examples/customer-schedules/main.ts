/** Ten thousand schedules, one per customer, created from data in chunks and spread over an hour. */
import { openQueue, QueueError } from 'millrace'

interface Customer {
  readonly id: number
  readonly timezone: string
}

const [file = './data/queue.db', count = '10000'] = process.argv.slice(2)
const queue = await openQueue(`sqlite:${file}`, { services: false })

const ZONES = ['Europe/Berlin', 'America/New_York', 'Asia/Tokyo', 'America/Sao_Paulo', 'Australia/Sydney']
const customers: readonly Customer[] = Array.from({ length: Number(count) }, (_, id) => ({
  id,
  timezone: ZONES[id % ZONES.length] ?? 'UTC',
}))

/** At 06:00 in the time zone of the customer, delayed by a stable part of an hour. */
async function createSchedule({ id, timezone }: Customer): Promise<'created' | 'kept'> {
  try {
    await queue.createSchedule({
      name: `digest:${id}`,
      type: 'sendDigest',
      payload: { customer: id },
      cron: '0 6 * * *',
      timezone,
      spread: '1h',
    })
    return 'created'
  } catch (error) {
    // The schedule exists: this program can be repeated after an interruption.
    if (error instanceof QueueError && error.code === 'WRONG_STATE') return 'kept'
    throw error
  }
}

/** Calls of one turn share a commit; a chunk bounds how many wait at a time. */
const CHUNK = 500
const total = { created: 0, kept: 0 }
for (let start = 0; start < customers.length; start += CHUNK) {
  const outcomes = await Promise.all(customers.slice(start, start + CHUNK).map(createSchedule))
  for (const outcome of outcomes) total[outcome] += 1
}
console.log(`${total.created} schedules created, ${total.kept} kept`)

// How many start per ten minutes after 06:00 in Berlin: about the same number each time.
const perTenMinutes = [0, 0, 0, 0, 0, 0]
let cursor: string | undefined
do {
  const page = await queue.schedules({ search: 'digest:', limit: 200, cursor })
  for (const { effective, nextTickAt, nextRunAt } of page.schedules) {
    if (effective.timezone !== 'Europe/Berlin' || nextTickAt === null || nextRunAt === null) continue
    const slot = Math.floor((nextRunAt - nextTickAt) / 600_000)
    perTenMinutes[slot] = (perTenMinutes[slot] ?? 0) + 1
  }
  cursor = page.nextCursor ?? undefined
} while (cursor !== undefined)
console.log(`starts per ten minutes in Berlin: ${perTenMinutes.join(' ')}`)
await queue.close()

/** Worker of a nightly report: declares the schedule, shows its next runs, and makes the report of yesterday at once. */
import { createWorker, openQueue } from 'millrace'
import { jobs, schedules, timezone } from './jobs.ts'

const queue = await openQueue(process.env.QUEUE_URL ?? 'http://127.0.0.1:3000')

/** The date in the time zone of the schedule, whatever the time zone of this machine. */
const dateOf = (at: number) => new Intl.DateTimeFormat('sv-SE', { timeZone: timezone }).format(at)

const worker = createWorker(
  queue,
  jobs,
  {
    report: ({ payload, tick }) => {
      // Without a tick the job was enqueued by hand. After an outage `missed` is the number of earlier nights without a report.
      const day = dateOf((tick?.at ?? Date.now()) - 24 * 60 * 60 * 1_000)
      console.log(`report of ${day} as ${payload.format}, ${tick?.missed ?? 0} nights missed`)
      return { day }
    },
  },
  { schedules },
)
const done = new Promise<void>((resolve) => {
  worker.events.on('success', () => resolve())
})

// Other queues declare the schedules when their first worker connects; this program needs them now.
while ((await queue.schedules({ search: 'nightly-report' })).schedules.length === 0) {
  await new Promise((resolve) => setTimeout(resolve, 10))
}

// 2026-03-29 has no 02:30 in Berlin, and 2026-10-25 has two.
const after = Date.parse('2026-03-28T12:00:00Z')
const { text, ticks } = await queue.previewSchedule({ name: 'nightly-report', after, count: 2 })
console.log(text)
for (const { at, note } of ticks) console.log(`${new Date(at).toISOString()}${note === null ? '' : `  ${note}`}`)

await queue.runSchedule({ name: 'nightly-report' })
await done
await worker.stop()
await queue.close()

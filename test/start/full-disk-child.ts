/** Program with an embedded queue that fills a small disk; prints the outcome of each step as one line of JSON. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { openEngine, QueueError } from '../../server/index.ts'
import { fillDisk, freeBytes, freeDisk } from '../support/store/small-disk.ts'

const folder = process.argv[2] ?? ''
const file = join(folder, 'queue.db')
const open = () => openEngine({ url: `sqlite:${file}` })
const until = async (condition: () => boolean | Promise<boolean>) => {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20))
}
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: unknown) => (error instanceof QueueError ? error.code : String(error)),
  )

const first = await open()
await first.enqueueMany({ jobs: Array.from({ length: 50 }, (_, n) => ({ type: 'mail', payload: n })) })
const running = await first.claim({ worker: 'w', limit: 50, leaseMs: 600_000 })
await until(() => existsSync(`${file}.reserve`))
fillDisk(folder)
const [early, late] = [running.slice(0, 25), running.slice(25)]
const completed: string[] = []
for (const { id, version } of early) completed.push(await codeOf(first.complete({ id, version })))
const refused = await codeOf(first.enqueue({ type: 'mail', payload: 1 }))
await first.close()

fillDisk(folder)
const free = freeBytes(folder)
const second = await open()
for (const { id, version } of late) completed.push(await codeOf(second.complete({ id, version })))
freeDisk(folder)
await until(async () => (await codeOf(second.enqueue({ type: 'mail', payload: 2 }))) === 'done')
const { completed: stored, pending } = await second.counts()
await second.close()
process.stdout.write(JSON.stringify({ completed: [...new Set(completed)], refused, free, stored, pending }))

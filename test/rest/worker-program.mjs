// Worker program for /api/queue with three fetch calls: claim, work, report.
const [address] = process.argv.slice(2)
const PAUSE_MS = 10
const queue = `${address}/api/queue`

const pause = () => new Promise((resolve) => setTimeout(resolve, PAUSE_MS))

async function report(job, outcome) {
  await fetch(`${queue}/${job.id}`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(outcome),
  })
}

async function work(job) {
  if (job.type === 'broken') throw new Error(`cannot do ${job.data.name}`)
  return { done: true }
}

async function runNext() {
  const response = await fetch(queue)
  if (response.status === 204) return pause()
  const job = await response.json()
  console.log('working on', job.id, job.type)
  const outcome = await work(job).then(
    (result) => ({ status: 'completed', result }),
    (error) => ({ status: 'failed', error: error.message }),
  )
  await report(job, outcome)
}

for (;;) {
  await runNext().catch((error) => {
    console.error('the queue did not respond:', error)
    return pause()
  })
}

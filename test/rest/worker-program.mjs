// The worker of the document that describes /api/queue, as it stands there: only its address comes from outside, its pauses are
// short, and some of its jobs fail.
import { argv } from 'node:process'

const API_URL = argv[2]

async function poll() {
  while (true) {
    try {
      const res = await fetch(`${API_URL}/api/queue`)

      if (res.status === 204) {
        await sleep(10)
        continue
      }

      const job = await res.json()
      console.log('Processing:', job.id, job.type)

      try {
        const result = await process(job)
        await fetch(`${API_URL}/api/queue/${job.id}`, {
          method: 'PUT',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ status: 'completed', result }),
        })
      } catch (err) {
        await fetch(`${API_URL}/api/queue/${job.id}`, {
          method: 'PUT',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ status: 'failed', error: err.message }),
        })
      }
    } catch (err) {
      console.error('Poll error:', err)
      await sleep(10)
    }
  }
}

async function process(job) {
  if (job.type === 'broken') throw new Error(`cannot do ${job.data.name}`)
  return { done: true }
}

function sleep(ms) {
  return new Promise((r) => setTimeout(r, ms))
}

poll()

/** Fails a job permanently, prints the acknowledgement and exits at once, without delivering the webhook. */
import { writeSync } from 'node:fs'
import { openEngine } from '../../server/compose/open-engine.ts'

const [, , url = '', webhookUrl = ''] = process.argv

const engine = await openEngine({ url, services: false })
await engine.updateSettings({ set: { webhookUrl } })
await engine.enqueue({ type: 'mail', payload: { to: 'ada' } })
const [job] = await engine.claim({ worker: 'worker-1' })
if (!job) throw new Error('there was nothing to claim')
await engine.fail({ id: job.id, version: job.version, error: 'no route', retry: false })
writeSync(1, job.id)
process.kill(process.pid, 'SIGKILL')

/** Thread that rewrites one row of shared leases in a loop; the id of version n is n, padded. */
import { workerData } from 'node:worker_threads'
import { LeaseRows, markOf } from '../../../server/worker/heartbeats/lease-rows.ts'

const TURNS = 20_000
const rows = new LeaseRows(workerData)
let version = 0

function rewrite(): void {
  for (let turn = 0; turn < TURNS; turn++) {
    version += 1
    rows.clear(0)
    const id = String(version).padStart(36, '0')
    rows.write(0, { id, version, confirmedAt: version, waitingSince: version, timeoutMs: version, failAt: version })
    rows.publish(0, markOf(version, 'started'))
  }
  setImmediate(rewrite)
}

rewrite()

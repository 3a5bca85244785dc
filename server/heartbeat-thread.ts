/** A thread that keeps a worker's leases alive while its handlers hold the event loop: its own connection, its own timers. */
import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from './clock.ts'
import type { ThreadData, ToThread } from './heartbeats-in-thread.ts'
import { openQueue } from './open-queue.ts'
import { HeartbeatLoop } from './worker/heartbeats.ts'

const { address, ...rhythm }: ThreadData = workerData
const port = parentPort
if (!port) throw new Error('This file is the beginning of a thread.')

const queue = await openQueue(address.url, {
  services: false,
  ...(address.token === undefined ? {} : { token: address.token }),
})
const loop = new HeartbeatLoop({
  queue,
  ...rhythm,
  clock: systemClock,
  onPulse: (pulse) => port.postMessage({ kind: 'pulse', pulse }),
  onError: (error) =>
    port.postMessage({ kind: 'error', message: error instanceof Error ? error.message : String(error) }),
})

port.on('message', async (message: ToThread) => {
  if (message.kind === 'hold') loop.hold(message.lease)
  else if (message.kind === 'drop') loop.drop(message.lease)
  else {
    await loop.stop()
    await queue.close()
    port.close()
  }
})
port.postMessage({ kind: 'ready' })

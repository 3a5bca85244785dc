/** A thread that keeps workers' leases alive while their handlers hold the event loop: its own connection, its own timers. */
import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from '../../base/clock.ts'
import { openQueue } from '../../sdk/open-queue.ts'
import { HeartbeatLoop } from './heartbeats.ts'
import type { FromThread, ThreadData, ToThread } from './thread-heartbeats.ts'

const { address }: ThreadData = workerData
const port = parentPort
if (!port) throw new Error('This file is the beginning of a thread.')
const tell = (message: FromThread) => port.postMessage(message)

const queue = await openQueue(address.url, {
  services: false,
  ...(address.token === undefined ? {} : { token: address.token }),
})
const loops = new Map<number, HeartbeatLoop>()

function begin(member: number, rhythm: Extract<ToThread, { kind: 'begin' }>['rhythm']): void {
  const loop = new HeartbeatLoop({
    queue,
    ...rhythm,
    clock: systemClock,
    onPulse: (pulse) => tell({ kind: 'pulse', member, pulse }),
    onError: (error) =>
      tell({ kind: 'error', member, message: error instanceof Error ? error.message : String(error) }),
  })
  loops.set(member, loop)
  tell({ kind: 'begun', member })
}

port.on('message', async (message: ToThread) => {
  if (message.kind === 'close') {
    await queue.close()
    port.close()
    return
  }
  const { kind, member } = message
  if (kind === 'begin') begin(member, message.rhythm)
  else if (kind === 'hold') {
    const { lease, confirmedAt, timeoutMs, startedAt } = message
    loops.get(member)?.hold(lease, confirmedAt, timeoutMs, startedAt)
  } else if (kind === 'drop') loops.get(member)?.drop(message.lease)
  else {
    await loops.get(member)?.stop()
    loops.delete(member)
    tell({ kind: 'ended', member })
  }
})

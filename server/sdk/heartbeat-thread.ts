/**
 * Thread entry: sends heartbeats while handlers block the event loop of the main thread.
 * It has its own connection and timers. Its import of `openQueue` is the only one from here into the SDK: a thread starts
 * from an address and cannot receive an open queue.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from '../base/clock.ts'
import { HeartbeatLoop } from '../worker/heartbeats/heartbeats.ts'
import { LateReleases } from '../worker/heartbeats/late-releases.ts'
import { readSharedLeases } from '../worker/heartbeats/shared-leases.ts'
import { SharedTimeouts } from '../worker/heartbeats/shared-timeouts.ts'
import type { FromThread, ThreadData, ToThread } from '../worker/heartbeats/thread-heartbeats.ts'
import { openQueue } from './open-queue.ts'

const { address }: ThreadData = workerData
const port = parentPort
if (!port) throw new Error('heartbeat-thread was imported on the main thread; start it as a worker thread.')
const post = (message: FromThread) => port.postMessage(message)

const queue = await openQueue(address.url, {
  services: false,
  ...(address.token === undefined ? {} : { token: address.token }),
})
const loops = new Map<number, HeartbeatLoop>()
const lateReleases = new Map<number, LateReleases>()
const timeouts = new Map<number, SharedTimeouts>()

function addMember({ member, settings, leases }: Extract<ToThread, { kind: 'begin' }>): void {
  const { mayWait = false, ...loopSettings } = settings
  const onError = (error: unknown) =>
    post({ kind: 'error', member, message: error instanceof Error ? error.message : String(error) })
  const late = mayWait ? new LateReleases({ queue, leases, clock: systemClock, onError }) : null
  const loop = new HeartbeatLoop({
    ...{ queue, ...loopSettings, clock: systemClock, onError },
    sharedLeases: () => {
      late?.check()
      return readSharedLeases(leases)
    },
    onHeartbeat: (report) => post({ kind: 'report', member, report }),
  })
  if (late) lateReleases.set(member, late)
  timeouts.set(member, new SharedTimeouts({ queue, leases, clock: systemClock, onError }))
  loops.set(member, loop)
  post({ kind: 'begun', member })
}

port.on('message', async (message: ToThread) => {
  if (message.kind === 'close') {
    await queue.close()
    port.close()
    return
  }
  const { kind, member } = message
  if (kind === 'begin') addMember(message)
  else if (kind === 'check') timeouts.get(member)?.checkAt(message.at)
  else if (kind === 'hold') {
    const { lease, confirmedAt, timeoutMs, startedAt } = message
    loops.get(member)?.hold(lease, confirmedAt, timeoutMs, startedAt)
  } else if (kind === 'drop') loops.get(member)?.drop(message.lease)
  else {
    timeouts.get(member)?.stop()
    timeouts.delete(member)
    await Promise.all([loops.get(member)?.stop(), lateReleases.get(member)?.stop()])
    loops.delete(member)
    lateReleases.delete(member)
    post({ kind: 'ended', member })
  }
})

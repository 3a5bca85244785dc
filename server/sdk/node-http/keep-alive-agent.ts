/** Connections that stay open between requests, without requests on connections that the server has closed. */
import type { Agent } from 'node:http'
import { SECOND } from '../../../shared/limits.ts'
import { systemClock } from '../../base/clock.ts'

/**
 * Idle connections close after this time, or earlier if a response announces a shorter `Keep-Alive: timeout`.
 * Usual servers and proxies close after 5 s and more, and a request on a connection that closes is lost.
 */
const IDLE_MS = 4 * SECOND
/** An idle connection may have been closed for so long without being noticed, while this process was busy. */
const UNNOTICED_MS = 100

export class KeepAliveAgent {
  readonly agent: Agent
  private idleSince = 0
  private isClosed = false

  constructor(protocol: string) {
    // Loaded on use: node:https takes 18 ms, node:http 3 ms.
    const { Agent } =
      protocol === 'https:' ? process.getBuiltinModule('node:https') : process.getBuiltinModule('node:http')
    // The number of connections has no limit: calls that wait must not hold back others.
    // `timeout` closes idle connections only. Idle connections do not keep the process alive.
    const agent = new Agent({ keepAlive: true, timeout: IDLE_MS })
    const keep = agent.keepSocketAlive.bind(agent)
    agent.keepSocketAlive = (socket) => {
      this.idleSince = systemClock.monotonic()
      return !this.isClosed && keep(socket)
    }
    this.agent = agent
  }

  /** True when the event loop must poll before the next request, to notice which idle connections were closed. */
  get mustPoll(): boolean {
    if (systemClock.monotonic() - this.idleSince <= UNNOTICED_MS) return false
    return Object.keys(this.agent.freeSockets).length > 0
  }

  /** Closes idle connections now, and the others after their response. */
  close(): void {
    this.isClosed = true
    for (const sockets of Object.values(this.agent.freeSockets)) {
      for (const socket of sockets ?? []) socket.destroy()
    }
  }
}

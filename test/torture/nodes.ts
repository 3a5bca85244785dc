/** Server nodes on one database, and callers who turn to the next one where one gives no answer. */
import { setTimeout as sleep } from 'node:timers/promises'
import { isTRPCClientError } from '@trpc/client'
import { type Api, type Caller, connect, refusalOf } from './line.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'

const ASK_AGAIN_MS = 10

interface Node {
  readonly process: ServerProcess
  readonly api: Api
  /** From right before the kill on, or while it is frozen: answers may be missing. */
  isSilent: boolean
}

export class Nodes implements Caller {
  /** Calls that ended without an answer, so that nobody knows what became of them. */
  unanswered = 0
  /** Calls that were refused because the database was out of reach. */
  busy = 0
  private readonly folder: string
  /** What the node at a place is started with. */
  private readonly settings: (place: number) => Readonly<Record<string, string>>
  private readonly random: () => number
  private readonly nodes: Node[] = []

  constructor(folder: string, settings: (place: number) => Readonly<Record<string, string>>, random: () => number) {
    this.folder = folder
    this.settings = settings
    this.random = random
  }

  /** One more, or one in the place of a dead one. */
  async start(place = this.nodes.length): Promise<void> {
    const process = await startServerProcess(this.folder, this.settings(place))
    this.nodes[place] = { process, api: connect(process.url), isSilent: false }
  }

  async kill(place: number): Promise<void> {
    const node = this.at(place)
    node.isSilent = true
    await node.process.kill()
  }

  /** Stops a node where it is, for as long as `meanwhile` takes. When it wakes it drops connections that were idle too long. */
  async freeze(place: number, meanwhile: () => Promise<unknown>): Promise<void> {
    const node = this.at(place)
    node.isSilent = true
    node.process.signal('SIGSTOP')
    try {
      await meanwhile()
    } finally {
      node.process.signal('SIGCONT')
    }
    await this.ready()
    node.isSilent = false
  }

  /** Asks them all to end; gives their exit codes. */
  stop(): Promise<Awaited<ReturnType<ServerProcess['stop']>>[]> {
    return Promise.all(this.nodes.map(({ process }) => process.stop()))
  }

  /** Until every node says that work may be sent to it; gives how long that took. */
  async ready(): Promise<number> {
    const from = performance.now()
    for (const { process } of this.nodes) {
      while (!(await isReady(process))) await sleep(ASK_AGAIN_MS)
    }
    return performance.now() - from
  }

  /** Throws refusals other than BUSY, and silence of a node that is meant to be there. */
  async insist<Answer>(call: (api: Api) => Promise<Answer>): Promise<Answer> {
    for (let place = Math.floor(this.random() * this.nodes.length); ; place++) {
      const node = this.at(place)
      const wasSilent = node.isSilent
      try {
        return await call(node.api)
      } catch (error) {
        const refusal = refusalOf(error)
        if (refusal === 'BUSY') this.busy++
        else if (refusal !== null) throw error
        else if (isTRPCClientError(error) && (wasSilent || node.isSilent)) this.unanswered++
        else {
          await node.process.refuseDead()
          throw error
        }
      }
      await sleep(ASK_AGAIN_MS)
    }
  }

  private at(place: number): Node {
    const node = this.nodes[place % this.nodes.length]
    if (!node) throw new Error('no node has been started')
    return node
  }
}

async function isReady(process: ServerProcess): Promise<boolean> {
  try {
    return (await fetch(`${process.url}/ready`)).ok
  } catch (error) {
    await process.refuseDead()
    throw error
  }
}

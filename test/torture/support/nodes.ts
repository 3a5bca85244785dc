/** Server nodes on one database, and callers that fail over to the next node. */
import { setTimeout as sleep } from 'node:timers/promises'
import { isTRPCClientError } from '@trpc/client'
import { type Api, type Caller, connect, refusalOf } from './line.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'

const ASK_AGAIN_MS = 10

interface Node {
  readonly process: ServerProcess
  readonly api: Api
  /** From right before the kill on, or while frozen: responses may be missing. */
  isSilent: boolean
}

export class Nodes implements Caller {
  /** Calls that ended without a response, so that their outcome is unknown. */
  unanswered = 0
  /** Calls that were rejected because the database was unreachable. */
  busy = 0
  private readonly folder: string
  /** Settings of the node at an index. */
  private readonly settings: (place: number) => Readonly<Record<string, string>>
  private readonly random: () => number
  private readonly nodes: Node[] = []

  constructor(folder: string, settings: (place: number) => Readonly<Record<string, string>>, random: () => number) {
    this.folder = folder
    this.settings = settings
    this.random = random
  }

  /** Starts another node, or replaces a dead one. */
  async start(place = this.nodes.length): Promise<void> {
    const process = await startServerProcess(this.folder, this.settings(place))
    this.nodes[place] = { process, api: connect(process.url), isSilent: false }
  }

  async kill(place: number): Promise<void> {
    const node = this.at(place)
    node.isSilent = true
    await node.process.kill()
  }

  /** Freezes a node (SIGSTOP) while `meanwhile` runs. Afterwards it drops connections that were idle too long. */
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

  /** Stops all nodes and returns their exit codes. */
  stop(): Promise<Awaited<ReturnType<ServerProcess['stop']>>[]> {
    return Promise.all(this.nodes.map(({ process }) => process.stop()))
  }

  /** Waits until every node is ready and returns how long that took. */
  async ready(): Promise<number> {
    const from = performance.now()
    for (const { process } of this.nodes) {
      while (!(await isReady(process))) await sleep(ASK_AGAIN_MS)
    }
    return performance.now() - from
  }

  /** Throws errors other than BUSY, and missing responses of a node that should be up. */
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

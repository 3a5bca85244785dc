/** One worker thread and its pending requests. */
import { QueueError } from '../../../../shared/errors.ts'
import { startThread as start } from '../../../base/threads.ts'
import {
  fromErrorData,
  type ReadParams,
  type ReadResult,
  type RequestOf,
  type Response,
  type ThreadData,
  type ThreadMethod,
} from './reader-protocol.ts'

export interface Thread {
  send<Method extends ThreadMethod>(
    method: Method,
    params: ReadParams<Method>,
    now: number,
  ): Promise<ReadResult<Method>>
  waiting(): number
  stop(): Promise<void>
}

/** Methods, not function properties: `resolve` takes the value type of its request. */
interface Call {
  resolve(value: unknown): void
  reject(error: Error): void
}

export function startThread(data: ThreadData, onExit: () => void): Thread {
  const worker = start('server/store/sqlite/reader-thread/reader-thread', data)
  const calls = new Map<number, Call>()
  let lastId = 0
  let end = new QueueError('BUSY', 'The reader thread stopped; try again.')

  // An idle thread must not keep the process alive.
  worker.unref()
  worker.on('message', (response: Response) => {
    const call = calls.get(response.id)
    calls.delete(response.id)
    if (calls.size === 0) worker.unref()
    if (response.ok) call?.resolve(response.value)
    else call?.reject(fromErrorData(response.error))
  })
  worker.on('error', (error) => {
    end = new QueueError('BUSY', `The reader thread stopped (${error.message}); try again.`)
  })
  worker.on('exit', () => {
    onExit()
    for (const call of calls.values()) call.reject(end)
    calls.clear()
  })

  return {
    send: <Method extends ThreadMethod>(method: Method, params: ReadParams<Method>, now: number) =>
      new Promise<ReadResult<Method>>((resolve, reject) => {
        const request: RequestOf<Method> = { id: ++lastId, now, method, params }
        worker.postMessage(request)
        worker.ref()
        calls.set(request.id, { resolve, reject })
      }),
    waiting: () => calls.size,
    async stop() {
      end = new QueueError('CLOSED', 'The queue was closed during this read; open it again to read.')
      await worker.terminate()
    },
  }
}

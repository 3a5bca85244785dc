/** Parser of tRPC's JSON Lines stream; each line is `[chunk, status, [[value], …definitions]]`. */
import { errorIn } from './server-errors.ts'
import type { Bytes } from './transport.ts'

/** `kind` of a definition `[key, kind, chunk]` whose chunk is an iterable; other chunks are promises. */
const ITERABLE = 1
/** Statuses of a chunk of an iterable. */
const RETURN = 0
const YIELD = 1
/** Status of a chunk of a promise. */
const REJECTED = 1

export async function* itemsIn<Item>(body: Bytes): AsyncGenerator<Item, void> {
  let iterable: number | null = null
  let isHead = true
  for await (const line of linesOf(body)) {
    const [chunk, status, value] = isHead ? [-1, 0, JSON.parse(line)['0']] : JSON.parse(line)
    isHead = false
    if (chunk === iterable) {
      if (status === RETURN) return
      if (status !== YIELD) throw errorIn(value)
      yield value[0][0]
      continue
    }
    if (status === REJECTED) throw errorIn(value)
    const [[data], ...definitions] = value
    if (data?.error) throw errorIn(data.error)
    iterable = definitions.find(([, kind]: readonly unknown[]) => kind === ITERABLE)?.[2] ?? iterable
  }
  throw new Error('response ended early')
}

async function* linesOf(body: Bytes): AsyncGenerator<string, void> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      yield* lines
    }
  } finally {
    // Lets the server stop when the caller stops iterating.
    await reader.cancel()
  }
}

/** Reads tRPC's stream of one call that answers with many items: JSON Lines, each `[chunk, status, [[value], …definitions]]`. */
import { answerIn, NotMillrace, refusalIn } from './server-errors.ts'

/** Of definitions `[key, kind, chunk]`: the chunk is an iterable, not a promise. */
const ITERABLE = 1
/** Of chunks of an iterable. */
const RETURN = 0
const YIELD = 1
/** Of chunks of a promise. */
const REJECTED = 1

export async function* itemsIn<Item>(body: ReadableStream<Uint8Array>): AsyncGenerator<Item, void> {
  let iterable: number | null = null
  let isHead = true
  for await (const line of linesOf(body)) {
    const [chunk, status, value] = isHead ? [-1, 0, JSON.parse(line)['0']] : JSON.parse(line)
    isHead = false
    if (chunk === iterable) {
      if (status === RETURN) return
      if (status !== YIELD) throw refusalIn(value)
      yield value[0][0]
      continue
    }
    if (status === REJECTED) throw refusalIn(value)
    const [[data], ...definitions] = value
    if (data?.error) answerIn(data)
    iterable = definitions.find(([, kind]: readonly unknown[]) => kind === ITERABLE)?.[2] ?? iterable
  }
  throw new NotMillrace('ended its answer early')
}

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
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
    // The server stops reading when the caller stops taking.
    await reader.cancel()
  }
}

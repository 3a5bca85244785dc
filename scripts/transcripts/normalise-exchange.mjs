// Recorded exchanges of one test as texts, without values that differ between any two runs.

const REQUEST_HEADERS = [
  ...['accept', 'authorization', 'content-encoding', 'content-type', 'cookie', 'last-event-id', 'origin', 'referer'],
  ...['sec-fetch-site', 'traceparent', 'trpc-accept', 'x-request-id'],
]
/** The direct handler knows the length of a body, the adapter of tRPC sends it in chunks. */
const VARYING_HEADERS = /^(content-length|date|transfer-encoding):/i

/** @param {{ anyOrder?: boolean }} options `anyOrder` does not number ids by their first use, which depends on the order. */
export function normalise(exchanges, { anyOrder = false } = {}) {
  const ids = new Map()
  const nameOf = (id) => {
    if (anyOrder) return 'id'
    if (!ids.has(id)) ids.set(id, `id-${ids.size + 1}`)
    return ids.get(id)
  }
  const plain = (text) => plainText(text, nameOf)
  return exchanges.map(({ method, path, requestHeaders, requestBody, response }) => {
    const headers = REQUEST_HEADERS.flatMap((name) =>
      requestHeaders[name] ? [`${name}: ${requestHeaders[name]}`] : [],
    )
    const request = [`${method} ${decoded(path)}`, ...headers]
    // How much of the body arrived before the end of the connection depends on buffers.
    if (!response) return plain([...request, '→ closed'].join('\n'))
    return plain([...request, requestBody, `→ ${headOf(response.head)}`, bodyOf(method, response)].join('\n'))
  })
}

function decoded(path) {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

function headOf(head) {
  const lines = head.trim().split('\r\n')
  return lines.filter((line) => !VARYING_HEADERS.test(line)).join('\n')
}

/** The body of HEAD is not sent. Events depend on the moment; test/http/event-stream.test.ts compares their bytes. */
function bodyOf(method, { head, body }) {
  if (method === 'HEAD') return ''
  return /^content-type: text\/event-stream/im.test(head) ? 'events' : body
}

function plainText(text, nameOf) {
  return (
    text
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, nameOf)
      .replace(/\bmr_[\w-]{20,}/g, 'secret')
      .replace(/\btoken-[0-9a-f]{8}\b/g, 'token-name')
      .replace(/millrace_session=[\w-]+/g, 'millrace_session=secret')
      .replace(/\b00-[0-9a-f]{32}-[0-9a-f]{16}-/g, nameOf)
      // Names of workers and processes.
      .replace(/\b[\w.-]+:\d+:(?:[0-9a-f]{6}|\d+\.\d+)\b/g, 'process')
      .replace(/\b\d{13}(?:\.\d+)?\b/g, 'time')
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time')
      .replace(/(127\.0\.0\.1|localhost|\[::1\]):\d{2,5}/g, '$1:port')
      .replace(/after \d+(?:\.\d+)? m?s\b/g, 'after some ms')
      .replace(/\b(?:just now|\d+ s ago)\b/g, 'a moment ago')
      .replace(/nonce[-=]"?[\w+/=]+"?/g, 'nonce')
      .replace(
        /"((?:next)?[cC]ursor|location|p50|p95|p99|ms|elapsedMs|minute|oldestReadyMs|retryAfterMs|sizeBytes|walBytes)":("[^"]*"|[\d.]+)/g,
        '"$1":"varies"',
      )
      .replace(/"(waits|runs)":\[[\d,]+\]/g, '"$1":"varies"')
      .replace(/"oldestReadyMsByType":\{[^}]*\}/g, '"oldestReadyMsByType":"varies"')
  )
}

/** Random values as JSON text, including text that JSON.stringify never writes. */

export interface Chance {
  /** A whole number from 0 to `most`. */
  upTo(most: number): number
  pick(from: readonly [string, ...string[]]): string
  /** True with a probability of 1 / times. */
  once(times: number): boolean
}

export function chanceFrom(random: () => number): Chance {
  const upTo = (most: number) => Math.floor(random() * (most + 1))
  return {
    upTo,
    pick: (from) => from[upTo(from.length - 1)] ?? from[0],
    once: (times) => random() * times < 1,
  }
}

const SCALARS = [
  ...['null', 'true', 'false', '0', '-0', '1', '-1', '1.5', '100', '1e3', '1e400', '-1e400', '9007199254740993'],
  ...['2147483648', '253402300799999', '253402300800000', '0.1', '99999999999999999999999', '1e-320'],
  ...['""', '" "', '"a"', '"\\u0000"', '"\\ud800"', '"\\udc00\\ud800"', '"\\ufeff"', '"\\u2028"', '"🦆"', '"🦆"'],
  ...['"__proto__"', '"constructor"', '"../../etc/passwd"', '"<script>alert(1)</script>"', '"%00"', '"\\n"', '"\\\\"'],
  ...[
    '"DROP TABLE millrace_jobs"',
    '"\'; DELETE FROM millrace_jobs; --"',
    '"2026-01-01T00:00:00Z"',
    '"NaN"',
    '"-1"',
    '"1"',
  ],
] as const

/** Resembles JSON but is invalid. */
const BROKEN = [
  '',
  '{',
  '[',
  '{"a":}',
  "{'a':1}",
  '{"a":1,}',
  'undefined',
  'NaN',
  '{"a":1}{',
  '\u0000',
  '"',
  '\ufeff{}',
] as const

const KEYS = [
  ...['type', 'payload', 'data', 'body', 'topic', 'status', 'id', 'version', 'worker', 'types', 'limit', 'jobs', 'ids'],
  ...['settle', 'claim', 'leases', 'lines', 'error', 'result', 'retry', 'priority', 'delayMs', 'runAt', 'run_after'],
  ...[
    'maxAttempts',
    'timeoutMs',
    'backoff',
    'kind',
    'dedupeKey',
    'dedupe_key',
    'dedupeUntil',
    'expiresAt',
    'name',
    'set',
  ],
  ...[
    'clear',
    'rate',
    'burst',
    'rps',
    'acks',
    'filter',
    'action',
    'offset',
    'cursor',
    'page',
    'sort',
    'search',
    'json',
  ],
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', '', '0', 'length', 'a.b', '$ref', 'face', 'options'],
] as const

/** Valid bodies of some route; most are sent with one value replaced. */
const VALID = [
  ...[
    '{"type":"a","payload":{"x":1}}',
    '{"type":"a","payload":1,"delayMs":5,"dedupeKey":"k"}',
    '{"type":"a","data":1}',
  ],
  ...['{"jobs":[{"type":"a","payload":1},{"type":"b","payload":2}]}', '{"body":"hello"}', '{"body":"x","topic":"t"}'],
  ...[
    '{"worker":"w","limit":2}',
    '{"worker":"w","types":["a"],"leaseMs":5000}',
    '{"worker":"w","leases":[{"id":"","version":1}]}',
  ],
  ...['{"id":"","version":1}', '{"id":"","version":1,"error":"x"}', '{"id":"","version":1,"progress":5}', '{"id":""}'],
  ...['{"worker":"w","settle":[{"kind":"complete","id":"","version":1}],"claim":{"limit":1}}', '{"ids":[""]}'],
  ...['{"id":"","version":1,"lines":[{"line":"x"}]}', '{"status":"completed","result":1}', '{"status":"failed"}'],
  ...['{"acks":[{"id":1,"version":1}]}', '{"rps":100000}', '{"name":"a","set":{"maxAttempts":3}}', '{"name":"a"}'],
  ...['{"action":"retry","filter":{"type":"a"}}', '{"status":["failed"],"limit":5}', '{"minutes":5}', '{"token":"x"}'],
] as const

const DEEP = 10_000
const LARGE = 2 * 1024 * 1024

/** JSON of any shape, a few levels deep. */
export function anyJson(chance: Chance, depth = 0): string {
  const lot = chance.upTo(9)
  if (depth > 3 || lot < 5) return chance.pick(SCALARS)
  const items = Array.from({ length: chance.upTo(4) }, () => anyJson(chance, depth + 1))
  if (lot < 7) return `[${items.join(',')}]`
  return `{${items.map((item) => `${JSON.stringify(chance.pick(KEYS))}:${item}`).join(',')}}`
}

/** A body: mostly a JSON object, sometimes other JSON, rarely invalid text. */
export function anyBody(chance: Chance): string {
  if (chance.once(12)) return chance.pick(BROKEN)
  if (chance.once(400)) return `{"payload":${'['.repeat(DEEP)}${']'.repeat(DEEP)},"type":"deep"}`
  if (chance.once(700)) return `{"type":"large","payload":"${'x'.repeat(LARGE)}","data":"${'x'.repeat(LARGE)}"}`
  if (chance.once(8)) return anyJson(chance)
  if (chance.once(2)) return nearlyValid(chance)
  const fields = Array.from(
    { length: 1 + chance.upTo(5) },
    () => `${JSON.stringify(chance.pick(KEYS))}:${anyJson(chance, 1)}`,
  )
  return `{${fields.join(',')}}`
}

function nearlyValid(chance: Chance): string {
  const valid = chance.pick(VALID)
  if (chance.once(3)) return valid
  const values = valid.split(/(?<=:)(?=["\d])/).length - 1
  let place = chance.upTo(Math.max(0, values - 1))
  return valid.replace(/(?<=:)(?:"[^"]*"|\d+)/g, (value) => (place-- === 0 ? anyJson(chance, 3) : value))
}

/** A URL segment: correctly or incorrectly encoded. */
export function anyWord(chance: Chance): string {
  if (chance.once(6))
    return chance.pick(['%', '%zz', '%c3%28', '%00', '..', '%2e%2e', '%2f', ';', '%ed%a0%80', '~', "'"])
  return encodeURIComponent(chance.pick(KEYS) + chance.pick(['', '1', ' ', '🦆', '-1', '.']))
}

/** Every bound a caller can meet, in one place: each number has a minimum and a maximum. */

export const SECOND = 1_000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

export const limits = {
  typeLength: 255,
  workerLength: 255,
  /** Of the version that a worker says it is. */
  workerVersionLength: 100,
  /** Of the name of the process that a worker runs in. */
  workerProcessLength: 255,
  keyLength: 255,
  requestIdLength: 128,
  /** Instants are milliseconds UTC; this is the year 9999, which still sorts and prints everywhere. */
  instant: 253_402_300_799_999,
  priority: 1_000_000,
  attempts: 1_000,
  delayMs: 10 * 365 * DAY,
  leaseMs: { min: SECOND, max: DAY },
  timeoutMs: { min: SECOND, max: 7 * DAY },
  waitMs: 30 * SECOND,
  claim: 100,
  /** The most that GET_LIMIT_MAX can allow for one GET of messages; more than `claim` takes several claims. */
  messages: 1_000,
  /** Types that one claim names. */
  claimTypes: 100,
  enqueueMany: 1_000,
  settle: 100,
  leases: 1_000,
  results: 100,
  list: 200,
  offset: 10_000,
  searchLength: 200,
  /** Jobs that a filter names one by one. */
  filterIds: 1_000,
  /** What siblings among error messages share. */
  errorKeyLength: 200,
  /** Each numeric part of a payload path may be a key or a position: the readings double. */
  pathPositions: 4,
  logLines: 100,
  logLineLength: 4_096,
  logLinesPerAttempt: 1_000,
  /** `jobs.error` stays short; the attempt keeps more of it. */
  jobErrorLength: 1_000,
  attemptErrorLength: 16_384,
  payloadBytes: 1_048_576,
  jsonDepth: 64,
  /** JSON Schemas of a type: read with every list of types. */
  schemaBytes: 65_536,
  declareTypes: 200,
  bodyBytes: 8_388_608,
  /** Calls in one tRPC batch. */
  batchCalls: 100,
  /** Open event streams per server. */
  eventClients: 1_000,
  rate: { min: 0.001, max: 1_000_000 },
  concurrency: 100_000,
  crashBudget: 100,
  retentionMs: 10 * 365 * DAY,
  /** Tokens that are not revoked. */
  tokens: 1_000,
  tokenNameLength: 100,
  tokenMs: { min: SECOND, max: 10 * 365 * DAY },
} as const

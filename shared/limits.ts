/** All limits of inputs and records. */

export const SECOND = 1_000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

export const limits = {
  typeLength: 255,
  workerLength: 255,
  /** Length of the version that a worker reports. */
  workerVersionLength: 100,
  /** Length of the process name that a worker reports. */
  workerProcessLength: 255,
  keyLength: 255,
  requestIdLength: 128,
  /** Times are milliseconds UTC, up to the year 9999, which all databases can store and print. */
  instant: 253_402_300_799_999,
  priority: 1_000_000,
  attempts: 1_000,
  delayMs: 10 * 365 * DAY,
  leaseMs: { min: SECOND, max: DAY },
  timeoutMs: { min: SECOND, max: 7 * DAY },
  waitMs: 30 * SECOND,
  claim: 100,
  /** Upper bound of GET_LIMIT_MAX. More than `claim` messages need several claims. */
  messages: 1_000,
  /** Types in one claim. */
  claimTypes: 100,
  enqueueMany: 1_000,
  settle: 100,
  leases: 1_000,
  results: 100,
  list: 200,
  offset: 10_000,
  searchLength: 200,
  /** Ids in one filter. */
  filterIds: 1_000,
  /** Length of the key of a failure group. */
  errorKeyLength: 200,
  /** A numeric part of a payload path can be a key or an index, so each one doubles the paths to try. */
  pathPositions: 4,
  logLines: 100,
  logLineLength: 4_096,
  logLinesPerAttempt: 1_000,
  /** `jobs.error` is short; the attempt stores more of the text. */
  jobErrorLength: 1_000,
  attemptErrorLength: 16_384,
  payloadBytes: 1_048_576,
  jsonDepth: 64,
  /** JSON Schema of a type. Loaded with every list of types. */
  schemaBytes: 65_536,
  declareTypes: 200,
  bodyBytes: 8_388_608,
  /** Calls in one tRPC batch. */
  batchCalls: 100,
  /** Operations in one call of `batch`. */
  batchOps: 500,
  /** Encoded outcomes in the response of `batch`. Reads that do not fit are refused. */
  batchResponseBytes: 33_554_432,
  verbLength: 100,
  /** Open event streams per server. */
  eventClients: 1_000,
  rate: { min: 0.001, max: 1_000_000 },
  concurrency: 100_000,
  crashBudget: 100,
  retentionMs: 10 * 365 * DAY,
  /** Active tokens. */
  tokens: 1_000,
  tokenNameLength: 100,
  tokenMs: { min: SECOND, max: 10 * 365 * DAY },
} as const

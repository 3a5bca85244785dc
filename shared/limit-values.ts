/** All limits of inputs and records; single constants, so that a bundle contains only those that it uses. */
import { DAY, SECOND } from './time-units.ts'

export const typeLength = 255
export const workerLength = 255
/** Length of the version that a worker reports. */
export const workerVersionLength = 100
/** Length of the process name that a worker reports. */
export const workerProcessLength = 255
export const keyLength = 255
export const requestIdLength = 128
/** Times are milliseconds UTC, up to the year 9999, which all databases can store and print. */
export const instant = 253_402_300_799_999
export const priority = 1_000_000
export const attempts = 1_000
export const delayMs = 10 * 365 * DAY
export const leaseMs = { min: SECOND, max: DAY } as const
export const timeoutMs = { min: SECOND, max: 7 * DAY } as const
export const waitMs = 30 * SECOND
export const claim = 100
/** Upper bound of GET_LIMIT_MAX. More than `claim` messages need several claims. */
export const messages = 1_000
/** Types in one claim. */
export const claimTypes = 100
export const enqueueMany = 1_000
export const settle = 100
export const leases = 1_000
export const results = 100
export const list = 200
export const offset = 10_000
export const searchLength = 200
/** Ids in one filter. */
export const filterIds = 1_000
/** Length of the key of a failure group. */
export const errorKeyLength = 200
/** A numeric part of a payload path can be a key or an index, so each one doubles the paths to try. */
export const pathPositions = 4
export const logLines = 100
export const logLineLength = 4_096
export const logLinesPerAttempt = 1_000
/** `jobs.error` is short; the attempt stores more of the text. */
export const jobErrorLength = 1_000
export const attemptErrorLength = 16_384
export const payloadBytes = 1_048_576
export const jsonDepth = 64
/** JSON Schema of a type. Loaded with every list of types. */
export const schemaBytes = 65_536
export const declareTypes = 200
export const bodyBytes = 8_388_608
/** Calls in one tRPC batch. */
export const batchCalls = 100
/** Operations in one call of `batch`. */
export const batchOps = 500
/** Encoded outcomes in the response of `batch`. Reads that do not fit are refused. */
export const batchResponseBytes = 33_554_432
export const verbLength = 100
/** Open event streams per server. */
export const eventClients = 1_000
export const rate = { min: 0.001, max: 1_000_000 } as const
export const concurrency = 100_000
export const crashBudget = 100
export const retentionMs = 10 * 365 * DAY
/** Active tokens. */
export const tokens = 1_000
export const tokenNameLength = 100
export const tokenMs = { min: SECOND, max: 10 * 365 * DAY } as const

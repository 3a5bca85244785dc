/** Retries a read once after a lost connection, and reports BUSY while the database is unreachable. */
import { canRetryRead, classifyError, driverError, storeUnavailable } from './postgres-errors.ts'

/** `read` must be idempotent. */
export async function withRetry<Result>(read: () => Promise<Result>): Promise<Result> {
  try {
    return await read().catch((error: unknown) => (canRetryRead(error) ? read() : Promise.reject(error)))
  } catch (error) {
    const kind = classifyError(error)
    throw kind === 'unreachable' || kind === 'again' ? storeUnavailable(driverError(error)) : driverError(error)
  }
}

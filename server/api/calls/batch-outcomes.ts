/** The outcomes of a batch, each encoded once, and the room that its response has left. */
import type { OperationOutcome } from '../../../shared/contracts/batch.ts'
import { batchIsFull } from '../../../shared/contracts/batch-full.ts'
import { ERRORS } from '../../../shared/errors.ts'
import { ResponseRoom } from './response-room.ts'

/** The result of a batch. */
export interface EncodedBatch {
  readonly outcomes: readonly OperationOutcome[]
  /** The same as JSON: `{"outcomes":[…]}`. */
  readonly json: string
}

interface Encoded {
  readonly outcome: OperationOutcome
  readonly json: string
  /** The HTTP status of the same call alone. */
  readonly status: number
}

const FULL = batchIsFull()
const FULL_OUTCOME: Encoded = { outcome: FULL, json: JSON.stringify(FULL), status: ERRORS.TOO_LARGE.http }

export class EncodedOutcomes implements EncodedBatch {
  private readonly encoded: Encoded[] = []
  readonly room = new ResponseRoom()
  /** How many operations ended with each status. */
  readonly statuses = new Map<number, number>()

  get outcomes(): readonly OperationOutcome[] {
    return this.encoded.map(({ outcome }) => outcome)
  }

  get json(): string {
    return `{"outcomes":[${this.encoded.map(({ json }) => json).join()}]}`
  }

  put(index: number, encoded: Encoded): void {
    this.encoded[index] = encoded
    this.statuses.set(encoded.status, (this.statuses.get(encoded.status) ?? 0) + 1)
  }

  /** The operation gets an error that asks for a smaller batch. */
  refuse(index: number): void {
    this.put(index, FULL_OUTCOME)
  }
}

/** The room for results in the response of a batch. */
import { limits } from '../../../shared/limits.ts'

export class ResponseRoom {
  private bytes = 0
  private hasRefused = false

  /** Nothing further starts: a result did not fit, or those that are always delivered have used the room. */
  get isFull(): boolean {
    return this.hasRefused || this.bytes >= limits.batchResponseBytes
  }

  /** Takes room for a result that is always delivered, because what its call has done is stored. */
  add(json: string): void {
    this.bytes += Buffer.byteLength(json)
  }

  /** Takes room for a result if there is enough for it. */
  take(json: string): boolean {
    const bytes = Buffer.byteLength(json)
    const fits = this.bytes + bytes <= limits.batchResponseBytes
    if (fits) this.bytes += bytes
    else this.hasRefused = true
    return fits
  }
}

/** `GroupBusy`: the error of a handler whose group has to wait. */

/**
 * Throw it when an upstream refuses the key of the job for now, for example with status 429: the attempt is not counted, the job runs
 * again after `delayMs`, and no other job of its key starts before. A job without a group only runs again after `delayMs`.
 */
export class GroupBusy extends Error {
  override readonly name = 'GroupBusy'
  /** How long no job of the key starts, in milliseconds. */
  readonly delayMs: number

  constructor(delayMs: number) {
    super(`busy for ${delayMs} ms`)
    this.delayMs = delayMs
  }
}

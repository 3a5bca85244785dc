/** Error texts that the queue itself stores with jobs and attempts. */

export const CRASH_ERROR = 'Task timeout - worker may have crashed'
/** Error of a job of /api/queue whose second lease has ended. */
export const TIMED_OUT_ERROR = 'Timed out after retry'
/** Error of a job that failed because the worker of its last attempt was lost. */
export const ATTEMPTS_LOST_ERROR = 'Attempts used up: the worker of the last one was lost'
/** Recorded with an attempt that was released because its claim was not confirmed. */
export const UNCONFIRMED_ERROR = 'The worker did not confirm that it had received the job'
export const EXPIRED_ERROR = 'Expired before a worker claimed it'
/** Error of a waiting job that a new one of its key replaced. */
export const REPLACED_ERROR = 'Replaced by a newer job of its key'
/** Error of a delayed job whose key was full when it became due. */
export const SKIPPED_ERROR = 'Skipped: its key was full'

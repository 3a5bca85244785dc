/** Status names of the compatible APIs, one complete mapping each. */
import type { Status } from './status.ts'

export type JsonQueueStatus = 'waiting' | 'active' | 'completed' | 'failed'
export type MessageState = 'new' | 'claimed' | 'archived'
export type LessonStatus = 'pending' | 'processing' | 'completed' | 'failed'
export type QueuectlState = 'pending' | 'processing' | 'completed' | 'failed' | 'dead'
/** Job statuses of the task API and `tq`. */
export type TaskStatus = 'to-do' | 'in-progress' | 'success' | 'failed'

export const jsonQueueStatus: Readonly<Record<Status, JsonQueueStatus>> = {
  scheduled: 'waiting',
  blocked: 'waiting',
  pending: 'waiting',
  processing: 'active',
  retrying: 'waiting',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'failed',
}

export const messageState: Readonly<Record<Status, MessageState>> = {
  scheduled: 'new',
  blocked: 'new',
  pending: 'new',
  processing: 'claimed',
  retrying: 'new',
  completed: 'archived',
  failed: 'archived',
  cancelled: 'archived',
}

export const lessonStatus: Readonly<Record<Status, LessonStatus>> = {
  scheduled: 'pending',
  blocked: 'pending',
  pending: 'pending',
  processing: 'processing',
  retrying: 'pending',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'failed',
}

export const queuectlState: Readonly<Record<Status, QueuectlState>> = {
  scheduled: 'pending',
  blocked: 'pending',
  pending: 'pending',
  processing: 'processing',
  retrying: 'failed',
  completed: 'completed',
  failed: 'dead',
  cancelled: 'dead',
}

export const taskStatus: Readonly<Record<Status, TaskStatus>> = {
  scheduled: 'to-do',
  blocked: 'to-do',
  pending: 'to-do',
  processing: 'in-progress',
  retrying: 'failed',
  completed: 'success',
  failed: 'failed',
  cancelled: 'failed',
}

/** The statuses behind a name of another API; empty for an unknown name. */
export function statusesFor<Word extends string>(
  vocabulary: Readonly<Record<Status, Word>>,
  word: string,
): readonly Status[] {
  return (Object.keys(vocabulary) as Status[]).filter((status) => vocabulary[status] === word)
}

/** The REST faces whose promises differ from the rest of the queue; a job remembers through which it came. */

export const FACES = { jsonQueue: 'json-queue', messages: 'messages', tasks: 'task-queue' } as const

/** The names under which these faces claim, each for any number of clients. */
export const JSON_QUEUE_WORKER = 'GET /api/queue'
export const MESSAGES_WORKER = 'GET /v1/messages'
export const SHARED_WORKERS: ReadonlySet<string> = new Set([JSON_QUEUE_WORKER, MESSAGES_WORKER])

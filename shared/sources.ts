/** Job sources with delivery rules of their API: stored in the `face` field of a job. */

export const SOURCES = { jsonQueue: 'json-queue', messages: 'messages', tasks: 'task-queue' } as const

/** Worker names of these REST APIs, shared by all of their clients. */
export const JSON_QUEUE_WORKER = 'GET /api/queue'
export const MESSAGES_WORKER = 'GET /v1/messages'
export const SHARED_WORKERS: ReadonlySet<string> = new Set([JSON_QUEUE_WORKER, MESSAGES_WORKER])

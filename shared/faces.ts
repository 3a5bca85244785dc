/** The REST faces whose promises differ from the rest of the queue; a job remembers through which it came. */

export const FACES = { jsonQueue: 'json-queue', messages: 'messages', tasks: 'task-queue' } as const

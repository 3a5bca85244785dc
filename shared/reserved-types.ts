/** Job types reserved for the queue itself; clients cannot enqueue or declare them. */

export const RESERVED_PREFIX = 'millrace.'
export const WEBHOOK_TYPE = `${RESERVED_PREFIX}webhook`

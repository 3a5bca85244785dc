/** Types of the queue's own making: nobody else enqueues or declares them. */

export const OWN_TYPES = 'millrace.'
export const WEBHOOK_TYPE = `${OWN_TYPES}webhook`

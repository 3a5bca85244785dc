/** Errors of token operations, shared by all stores. */
import { QueueError } from '../../shared/errors.ts'
import { limits } from '../../shared/limits.ts'

export function tooManyTokens(): QueueError {
  return new QueueError('TOO_LARGE', `There are ${limits.tokens} tokens already; revoke some that are no longer used.`)
}

export function nameTaken(name: string): QueueError {
  return new QueueError('DUPLICATE_KEY', `There is a token ${name} already; revoke it, or choose another name.`, {
    name,
  })
}

export function noSuchToken(id: string): QueueError {
  return new QueueError('NOT_FOUND', `There is no token ${id}; list the tokens to see their ids.`, { id })
}

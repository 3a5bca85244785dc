/** Why a token is not made or not revoked, in the same words on every store. */
import { QueueError } from '../../shared/errors.ts'
import { limits } from '../../shared/limits.ts'

export function tooManyTokens(): QueueError {
  return new QueueError('TOO_LARGE', `There are ${limits.tokens} tokens already; revoke some that nobody uses.`)
}

export function nameTaken(name: string): QueueError {
  return new QueueError('DUPLICATE_KEY', `There is a token ${name} already; revoke it, or choose another name.`, {
    name,
  })
}

export function noSuchToken(id: string): QueueError {
  return new QueueError('NOT_FOUND', `There is no token ${id}; tokens.list names those there are.`, { id })
}

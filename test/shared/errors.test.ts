/** The table of error codes. */
import { describe, expect, it } from 'vitest'
import { ERRORS, notFound, QueueError, staleClaim } from '../../shared/errors.ts'

describe('errors', () => {
  it('have the documented HTTP status', () => {
    const http = Object.fromEntries(Object.entries(ERRORS).map(([code, wire]) => [code, wire.http]))
    expect(http).toMatchObject({
      BAD_INPUT: 400,
      NOT_FOUND: 404,
      STALE_CLAIM: 409,
      WRONG_STATE: 409,
      DUPLICATE_KEY: 409,
      TOO_LARGE: 413,
      BUSY: 503,
      DISK_FULL: 507,
    })
  })

  it('have a code, details and a message with the next step', () => {
    expect(notFound('some-id')).toMatchObject({ code: 'NOT_FOUND', details: { id: 'some-id' } })
    const stale = staleClaim('some-id', 7)
    expect(stale).toBeInstanceOf(QueueError)
    expect(stale).toMatchObject({ name: 'QueueError', code: 'STALE_CLAIM', details: { id: 'some-id', version: 7 } })
    expect(stale.message).toContain('stop this attempt')
  })
})

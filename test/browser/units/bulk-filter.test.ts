/** Filters of bulk operations. */
import { describe, expect, it } from 'vitest'
import { narrowFilter } from '../../../client/live/bulk/bulk.ts'

describe('a bulk operation', () => {
  it('visits only statuses that its action applies to, within the filter', () => {
    expect(narrowFilter('retry', { type: 'a' })).toEqual({ type: 'a', status: ['failed', 'retrying', 'cancelled'] })
    expect(narrowFilter('retry', { status: ['failed', 'completed'] })).toEqual({ status: ['failed'] })
    expect(narrowFilter('retry', { status: ['completed'] })).toBeNull()
    expect(narrowFilter('cancel', { worker: 'w' })).toEqual({ worker: 'w', status: ['processing'] })
    expect(narrowFilter('remove', { worker: 'w' })).toBeNull()
    expect(narrowFilter('retry', { ids: ['a'], type: 't' })).toEqual({ ids: ['a'], type: 't' })
  })
})

/** Page numbers of a section of jobs. */
import { describe, expect, it } from 'vitest'
import { LAST_PAGE, pagesOf } from '../../../client/features/jobs/sections/pages.ts'

describe('pages', () => {
  it.each([
    [0, 1, [1]],
    [61, 4, [1, 2, 3, 4, 5, 6, 7]],
    [200, 1, [1, 2, 3, 4, 5, null, 20]],
    [200, 10, [1, null, 9, 10, 11, null, 20]],
    [200, 18, [1, null, 16, 17, 18, 19, 20]],
  ])('of %i jobs, on page %i', (count, current, numbers) => {
    expect(pagesOf(count, current)).toMatchObject({ shown: numbers, isCut: false })
  })

  it('end at the largest offset that the server accepts', () => {
    expect(pagesOf(1_000_000, 1)).toMatchObject({ last: LAST_PAGE, isCut: true })
  })
})

/** Selection of rows in the Jobs table. */
import { describe, expect, it } from 'vitest'
import { extend, NO_SELECTION, selectAll, toggle } from '../../../client/features/jobs/table/selection.ts'

describe('a selection', () => {
  const order = ['a', 'b', 'c', 'd', 'e']

  it('extends from the anchor to a row in both directions, selecting or deselecting', () => {
    const forth = extend(toggle(NO_SELECTION, 'b'), 'd', order)
    expect([...forth.ids]).toEqual(['b', 'c', 'd'])
    expect([...extend(toggle(NO_SELECTION, 'd'), 'b', order).ids].sort()).toEqual(['b', 'c', 'd'])
    expect([...extend(toggle(forth, 'b'), 'c', order).ids]).toEqual(['d'])
    expect([...extend(NO_SELECTION, 'c', order).ids]).toEqual(['c'])
  })

  it('no longer covers all matching jobs when one row is deselected', () => {
    expect(toggle(selectAll(order), 'c')).toMatchObject({ isAll: false, ids: new Set(['a', 'b', 'd', 'e']) })
  })
})

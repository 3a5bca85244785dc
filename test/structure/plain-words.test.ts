/** Sources, tests and documents use the plain words of the field. */
import { expect, it } from 'vitest'
import { findHits } from '../../scripts/lint/plain-words.mjs'

it('no tracked file contains a banned word; CONTRIBUTING.md lists them', () => {
  expect(findHits().map(({ file, line, word }) => `${file}:${line}: ${word}`)).toEqual([])
})

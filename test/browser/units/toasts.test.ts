/** Toasts: at most a few at a time, except those with an undo. */
import { expect, it, onTestFinished } from 'vitest'
import { toasts } from '../../../client/lib/toasts.ts'

const texts = () => toasts.get().map(({ text }) => text)

it('drops the oldest toasts when there are too many, but none with an undo', () => {
  onTestFinished(() => {
    for (const { id } of toasts.get()) toasts.dismiss(id)
  })
  toasts.show('3 jobs retried', { undo: { label: 'Undo', run: () => {} } })
  for (const text of ['a', 'b', 'c', 'd', 'e']) toasts.show(text)
  expect(texts()).toEqual(['3 jobs retried', 'b', 'c', 'd', 'e'])
  toasts.showError('no')
  expect(texts()).toEqual(['3 jobs retried', 'c', 'd', 'e', 'no'])
})

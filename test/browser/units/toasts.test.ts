/** Messages of the dashboard: a few at a time, and a way back stays for as long as it is promised. */
import { expect, it, onTestFinished } from 'vitest'
import { toasts } from '../../../client/ui/toasts.ts'

const texts = () => toasts.snapshot().map(({ text }) => text)

it('makes room by leaving out old messages, never one that offers an undo', () => {
  onTestFinished(() => {
    for (const { id } of toasts.snapshot()) toasts.dismiss(id)
  })
  toasts.say('3 jobs retried', { undo: { label: 'Undo', run: () => {} } })
  for (const text of ['a', 'b', 'c', 'd', 'e']) toasts.say(text)
  expect(texts()).toEqual(['3 jobs retried', 'b', 'c', 'd', 'e'])
  toasts.complain('no')
  expect(texts()).toEqual(['3 jobs retried', 'c', 'd', 'e', 'no'])
})

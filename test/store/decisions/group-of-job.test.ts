/** The group and key of a new job. */
import { expect, it } from 'vitest'
import { groupOf } from '../../../server/store/decisions/group-of-job.ts'
import { refusal } from '../../support/refusal.ts'

const JOB = { type: 'mail', payload: '{"a":{"b/c":"inner"},"n":12.5,"yes":true,"list":["x"],"none":null,"empty":""}' }
const job = { ...JOB, groupName: null, groupKey: null }

it('a job without a key has no group', () => {
  expect(groupOf(job, null)).toBeNull()
  expect(groupOf({ ...job, groupName: 'shared' }, { concurrency: 1 })).toBeNull()
})

it.each([
  ['/a/b~1c', 'inner'],
  ['/n', '12.5'],
  ['/yes', 'true'],
  ['/list/0', 'x'],
])('the key at %s is %s', (pointer, key) => {
  expect(groupOf(job, { key: pointer })).toEqual({ name: 'mail', key })
})

it.each(['/none', '/a', '/list', '/missing', '/n/deeper', '/constructor', '/list/length/x'])(
  'there is no key at %s',
  (pointer) => {
    expect(groupOf(job, { key: pointer })).toBeNull()
  },
)

it('the key of the job wins over its payload, and its group over that of the type', () => {
  expect(groupOf({ ...job, groupKey: 'own' }, { key: '/n', name: 'shared' })).toEqual({ name: 'shared', key: 'own' })
  expect(groupOf({ ...job, groupName: 'mine', groupKey: 'own' }, { name: 'shared' })).toEqual({
    name: 'mine',
    key: 'own',
  })
})

it.each(['', 'x'.repeat(2_000), 'two\nlines'])('a text that no key may be is refused', (text) => {
  const error = refusal(() => groupOf({ ...job, payload: JSON.stringify({ text }) }, { key: '/text' }))
  expect(error).toMatchObject({ code: 'BAD_INPUT', message: expect.stringContaining('payload/text must have 1 to') })
})

import { describe, expect, test } from 'vitest'
import { enqueueInput, enqueueManyInput } from '../../../shared/contracts/produce.ts'
import { limits } from '../../../shared/limits.ts'
import { parseEnqueue, parseEnqueueMany } from '../../../shared/verbs/enqueue-input.ts'

const plain = { type: 'sendEmail', payload: { to: ['a'] } }

const jobs: Record<string, unknown> = {
  'a job': plain,
  'a null payload': { ...plain, payload: null },
  'a text as payload': { ...plain, payload: 'x' },
  'an undefined payload': { ...plain, payload: undefined },
  'no payload': { type: 'sendEmail' },
  'no type': { payload: 1 },
  'an empty type': { ...plain, type: '' },
  'a number as type': { ...plain, type: 7 },
  'a type with a space': { ...plain, type: 'send email' },
  'a type with a line break': { ...plain, type: 'send\n' },
  'a type with any letters': { ...plain, type: 'größe-発送' },
  'a type with a NUL': { ...plain, type: 'a\u0000' },
  'the longest type': { ...plain, type: 'x'.repeat(limits.typeLength) },
  'a type that is too long': { ...plain, type: 'x'.repeat(limits.typeLength + 1) },
  'a reserved type': { ...plain, type: 'millrace.webhook' },
  'a path as type': { ...plain, type: 'mail/send:v1.2' },
  'a priority': { ...plain, priority: 3 },
  'an undefined option': { ...plain, priority: undefined },
  'a wrong option': { ...plain, priority: 'high' },
  'every option': {
    ...{ ...plain, priority: 3, delayMs: 5, maxAttempts: 2, timeoutMs: 5_000, dedupeKey: 'k', dedupeUntil: 'finished' },
    ...{ kind: 'message', face: 'messages', group: 'g' },
  },
  'both delayMs and runAt': { ...plain, delayMs: 1, runAt: 1 },
  'an unknown key': { ...plain, extra: 1 },
  'an inherited option': Object.assign(Object.create({ priority: 9 }), plain),
  null: null,
  'an array': [plain],
  'a text': 'job',
}

describe('parseEnqueue', () => {
  for (const [what, job] of Object.entries(jobs)) {
    test(`returns what the schema returns for ${what}`, () => {
      expect(read(() => parseEnqueue(job))).toEqual(read(() => enqueueInput.parse(job)))
    })

    test(`returns what the schema returns for ${what} among other jobs`, () => {
      const input = { jobs: [plain, job, plain] }
      expect(read(() => parseEnqueueMany(input))).toEqual(read(() => enqueueManyInput.parse(input)))
    })
  }

  test.each([
    ['no jobs', { jobs: [] }],
    ['too many jobs', { jobs: Array.from({ length: limits.enqueueMany + 1 }, () => plain) }],
    ['an unknown key', { jobs: [plain], extra: 1 }],
    ['no list', { jobs: plain }],
    ['nothing', undefined],
  ])('parseEnqueueMany refuses %s', (_, input) => {
    expect(() => parseEnqueueMany(input)).toThrow(expect.objectContaining({ code: 'BAD_INPUT' }))
  })

  test('jobs do not share what the defaults are', () => {
    const [one, other] = [parseEnqueue(plain), parseEnqueue(plain)]
    expect(one).not.toBe(other)
  })
})

function read(parse: () => unknown): unknown {
  try {
    return { parsed: parse() }
  } catch {
    return 'refused'
  }
}

import { describe, expect, test } from 'vitest'
import { exchangeInput } from '../../../shared/contracts/work.ts'
import { limits } from '../../../shared/limits.ts'
import { parseExchange } from '../../../shared/verbs/exchange-input.ts'

const id = '01930f6e-0000-7000-8000-000000000001'
const complete = { kind: 'complete', id, version: 3 }
const claim = { limit: 2, requestId: 'r-1', types: ['a'] }

const settles: Record<string, unknown> = {
  'no settle': undefined,
  'a complete': [complete],
  'a complete with a result': [
    { ...complete, result: { to: ['a'] } },
    { ...complete, version: 4, result: null },
  ],
  'a complete with an undefined result': [{ ...complete, result: undefined }],
  'a complete with a duration': [complete, { ...complete, durationMs: 12 }],
  'a negative duration': [{ ...complete, durationMs: -1 }],
  'an unknown key': [{ ...complete, extra: 1 }],
  'a fail': [complete, { kind: 'fail', id, version: 1, error: 'x' }],
  'a release': [{ kind: 'release', id, version: 1 }],
  'an unknown kind': [{ ...complete, kind: 'other' }],
  'no kind': [{ id, version: 1 }],
  'no id': [{ kind: 'complete', version: 1 }],
  'a text that is no id': [{ ...complete, id: 'x' }],
  'the nil id': [{ ...complete, id: '00000000-0000-0000-0000-000000000000' }],
  'an id of version 9': [{ ...complete, id: '01930f6e-0000-9000-8000-000000000001' }],
  'version 0': [{ ...complete, version: 0 }],
  'a fraction as version': [{ ...complete, version: 1.5 }],
  'a text as version': [{ ...complete, version: '1' }],
  'a version that is not safe': [{ ...complete, version: 2 ** 53 }],
  'an array as settle': [[complete]],
  'null as settle': [null],
  'a text as settles': 'complete',
  'too many settles': Array.from({ length: limits.settle + 1 }, () => complete),
  'as many settles as allowed': Array.from({ length: limits.settle }, () => complete),
}

const rests: Record<string, object> = {
  'a worker': { worker: 'w' },
  'a worker and a claim': { worker: 'w', claim },
  'no worker': {},
  'an unknown key': { worker: 'w', extra: 1 },
  'an invalid claim': { worker: 'w', claim: { ...claim, limit: 0 } },
}

describe('parseExchange', () => {
  for (const [what, settle] of Object.entries(settles)) {
    for (const [rest, others] of Object.entries(rests)) {
      test(`returns what the schema returns for ${what} and ${rest}`, () => {
        const input = { ...others, ...(settle === undefined ? {} : { settle }) }
        expect(read(() => parseExchange(input))).toEqual(read(() => exchangeInput.parse(input)))
      })
    }
  }

  test.each([null, 'x', 1, []])('refuses %j', (input) => {
    expect(() => parseExchange(input)).toThrow(expect.objectContaining({ code: 'BAD_INPUT' }))
  })
})

function read(parse: () => unknown): unknown {
  try {
    return { parsed: parse() }
  } catch {
    return 'refused'
  }
}

/** Filter bar: parsing, problems and completions. */
import { describe, expect, it } from 'vitest'
import { parseFilter, toggleStatus, withType } from '../../../client/lib/filter/filter.ts'
import { otherKind } from '../../../client/lib/filter/other-kind.ts'
import { suggest } from '../../../client/lib/filter/suggest.ts'
import { formatTerm, tokenize } from '../../../client/lib/filter/tokenizer.ts'
import { jobFilter } from '../../../shared/contracts/observe.ts'

const NOW = 1_800_000_000_000
const HOUR = 3_600_000

const parsed = (text: string) => parseFilter(text).toJobFilter(NOW)
const problems = (text: string) => parseFilter(text).problems.map(({ term, message }) => `${term} → ${message}`)

describe('the filter', () => {
  it.each([
    ['', {}],
    ['type:send_email', { type: 'send_email' }],
    ['status:failed,retrying status:failed', { status: ['failed', 'retrying'] }],
    ['payload.user.id:42', { payload: { path: 'user.id', equals: 42 } }],
    ['payload.items.0.sku:"42"', { payload: { path: 'items.0.sku', equals: '42' } }],
    ['payload.paid:false', { payload: { path: 'paid', equals: false } }],
    ['payload.note:null', { payload: { path: 'note', equals: null } }],
    ['payload.code:007', { payload: { path: 'code', equals: '007' } }],
    ['error:"connection \\"reset\\""', { error: 'connection "reset"' }],
    ['group:"disk <n> is full"', { errorKey: 'disk <n> is full' }],
    ['group:<n> status:failed', { errorKey: '<n>', status: ['failed'] }],
    ['group:""', { errorKey: '' }],
    ['worker:worker-1 priority:-3', { worker: 'worker-1', priority: -3 }],
    ['older:1h', { to: NOW - HOUR }],
    ['newer:1.5h older:30m', { from: NOW - 1.5 * HOUR, to: NOW - HOUR / 2 }],
    ['two  words', { search: 'two words' }],
    ['"type:quoted" tail', { search: 'type:quoted tail' }],
    ['12:30 ada@example.com', { search: '12:30 ada@example.com' }],
    ['type:"two words" error:"closed"', { type: 'two words', error: 'closed' }],
    ['type:"mail*"', { type: 'mail*' }],
    ['"-status:failed" -5 --force', { search: '-status:failed -5 --force' }],
  ])('reads %s', (text, filter) => {
    expect(parsed(text)).toEqual(filter)
    expect(jobFilter.safeParse(parsed(text)).success).toBe(true)
    expect(problems(text)).toEqual([])
  })

  it.each([
    ['stats:failed', 'stats:failed → Unknown key “stats:”. Did you mean “status:”?'],
    ['https://example.com', 'https://example.com → Unknown key “https:”. To search for it as text, put it in quotes.'],
    ['status:fialed', 'status:fialed → “fialed” is not a status. Did you mean failed?'],
    ['type:', 'type: → Enter a value after “type:”.'],
    ['group:', 'group: → Enter a value after “group:”.'],
    ['group:a group:b', 'group:b → Only one “group:” at a time.'],
    [`group:${'x'.repeat(201)}`, `group:${'x'.repeat(201)} → At most 200 characters.`],
    ['type:a type:b', 'type:b → Only one “type:” at a time.'],
    ['payload.a:1 payload.b:2', 'payload.b:2 → Only one payload value can be used at a time.'],
    ['payload:1', 'payload:1 → Name a field of the payload, for example payload.user.id:42'],
    ['payload.a..b:1', 'payload.a..b:1 → Write the path as names joined by dots, for example payload.user.id:42'],
    ['payload.1.2.3.4.5:1', 'payload.1.2.3.4.5:1 → At most 4 array positions in one path.'],
    ['priority:high', 'priority:high → A priority is a whole number, for example 10.'],
    ['older:soon', 'older:soon → An age must look like 30s, 10m, 1h30m or 7d.'],
    [`error:${'x'.repeat(201)}`, `error:${'x'.repeat(201)} → At most 200 characters.`],
    ...['-status:failed', '!type:mail', '-mail'].map((text) => [
      text,
      `${text} → Negation is not supported. To search for this text as written, put it in quotes.`,
    ]),
    [
      'type:mail*',
      'type:mail* → Wildcards are not supported in type names. If “*” is part of the name, put the name in quotes.',
    ],
    ...['error:"timed out', '"timed out', '5" pipe', '"foo bar\\', 'error:"a\\\nb'].map((text) => [
      text,
      `${text} → A quote is not closed. To search for a quote character, write \\" inside quotes.`,
    ]),
    ['x'.repeat(201), `${'x'.repeat(20)} → Search for at most 200 characters.`],
  ])('explains what is wrong with %s', (text, problem) => {
    expect(problems(text)).toEqual([problem])
  })

  it.each([
    'plain',
    'two words',
    'a "quote"',
    'back\\slash',
    'back\\ slash',
    'key:value',
    '<b>',
    'ends with \\',
    '-not',
    'a*',
  ])('writes %s so that it is read back', (value) => {
    for (const key of [null, 'error', 'type']) {
      expect(tokenize(formatTerm(key, value)).map((word) => [word.key, word.value])).toEqual([[key, value]])
    }
  })

  it('detects filters that the counters can answer', () => {
    const isCounted = (text: string) => parseFilter(text).isCounted
    expect(['', 'type:a', 'status:failed type:a'].map(isCounted)).toEqual([true, true, true])
    expect(['type:a words', 'newer:1h', 'priority:1', 'type:a*'].map(isCounted)).toEqual([false, false, false, false])
  })

  it('replaces the type', () => {
    expect(withType('status:failed type:mial "two words"', 'e mail')).toBe('status:failed type:"e mail" "two words"')
  })

  it('adds and removes a status', () => {
    expect(toggleStatus('type:a', 'failed')).toBe('type:a status:failed')
    expect(toggleStatus('status:failed type:a', 'retrying')).toBe('type:a status:failed,retrying')
    expect(toggleStatus('type:a status:failed', 'failed')).toBe('type:a')
  })
})

describe('a value in the payload', () => {
  it.each([
    ['payload.id:42', 'payload.id:"42"', false],
    ['type:mail payload.id:"42" status:failed', 'type:mail payload.id:42 status:failed', true],
    ['payload.on:true', 'payload.on:"true"', false],
  ])('%s could be %s', (text, other, isText) => {
    expect(otherKind(text)).toEqual({ text: other, isText })
  })

  it.each(['payload.name:ada', 'payload.name:"ada l"', 'type:mail', ''])('%j has only one reading', (text) => {
    expect(otherKind(text)).toBeNull()
  })
})

describe('terms', () => {
  it('ignore the case of keys and statuses, and accept ages with several units', () => {
    expect(parseFilter('STATUS:Failed Newer:1h30m').toJobFilter(5_400_000)).toEqual({ status: ['failed'], from: 0 })
    expect(parseFilter('payload.userId:1').toJobFilter(0)).toEqual({ payload: { path: 'userId', equals: 1 } })
    expect(toggleStatus('Status:failed', 'failed')).toBe('')
  })

  it('select jobs of a group and of one of its keys, while group: means a group of failures', () => {
    const { problems, isCounted, toJobFilter } = parseFilter('in:sync_tenant key:"acme corp" group:boom status:blocked')
    expect(problems).toEqual([])
    expect(toJobFilter(0)).toEqual({
      group: 'sync_tenant',
      groupKey: 'acme corp',
      errorKey: 'boom',
      status: ['blocked'],
    })
    expect(isCounted).toBe(false)
    expect(parseFilter('key:a key:b').problems).toEqual([{ term: 'key:b', message: 'Only one “key:” at a time.' }])
  })
})

describe('suggestions', () => {
  const known = {
    types: ['send_email', 'resize image', 'resend'],
    workers: ['w1'],
    errorKeys: ['disk <n> is full', 'no disk'],
    groups: ['sync tenant', 'stripe'],
    keys: ['acme', 'acme corp'],
  }
  const offers = (text: string, caret = text.length) => suggest(text, caret, known)
  const labels = (text: string, caret?: number) => offers(text, caret).map(({ label }) => label)

  it('offer keys, then their values', () => {
    const keys = [
      ...[
        'type:',
        'status:',
        'error:',
        'group:',
        'in:',
        'key:',
        'worker:',
        'priority:',
        'older:',
        'newer:',
        'payload.',
      ],
    ]
    expect(labels('')).toEqual(keys)
    expect(labels('st')).toEqual(['status:'])
    expect(labels('type:a  ', 7)).toContain('error:')
    expect(labels('type:se')).toEqual(['send_email', 'resend'])
    expect(labels('worker:')).toEqual(['w1'])
    expect(labels('newer:1')).toEqual(['15m', '1h', '1d'])
    expect(labels('"st')).toEqual([])
    expect(labels('error:x')).toEqual([])
    expect(labels('group:dis')).toEqual(['disk <n> is full', 'no disk'])
    expect(offers('in:sy')[0]).toMatchObject({ text: 'in:"sync tenant" ', isWhole: true })
    expect(labels('in:stripe key:ac')).toEqual(['acme', 'acme corp'])
    expect(offers('group:"disk')[0]).toMatchObject({ text: 'group:"disk <n> is full" ', isWhole: true })
  })

  it('complete the term at the caret and keep the others', () => {
    const [first] = offers('type:resi status:failed', 9)
    expect(first).toMatchObject({ text: 'type:"resize image" status:failed', caret: 20, isWhole: true })
    expect(offers('stat')[0]).toMatchObject({ text: 'status:', caret: 7, isWhole: false })
  })

  it('extend a list of statuses', () => {
    expect(offers('status:failed,re')[0]).toMatchObject({ text: 'status:failed,retrying ' })
    expect(labels('status:failed,')).not.toContain('failed')
  })
})

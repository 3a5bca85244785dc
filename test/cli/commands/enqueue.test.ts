/** `queuectl enqueue` with one job: accepted forms, stored fields and errors. */
import { expect, it } from 'vitest'
import { HOUR, MINUTE } from '../../../shared/limits.ts'
import { describeBackends, idOf, openBackend } from '../backends.ts'

const TWO = { kind: 'exponential', baseMs: 2_000, factor: 2, capMs: 2_592_000_000, jitter: 0 }

describeBackends('enqueue', (open) => {
  it('stores a command with the retries and backoff of QueueCTL and prints its id', async () => {
    const { ctl, queue } = await open()
    const ran = await ctl('enqueue', '--command', 'echo hi')
    expect([ran.code, ran.stderr]).toEqual([0, expect.stringContaining('ready to run')])
    expect(await queue.get({ id: idOf(ran) })).toMatchObject({
      type: 'shell',
      payload: { command: 'echo hi' },
      maxAttempts: 4,
      backoff: TWO,
      face: 'cli',
      status: 'pending',
    })
    expect(await queue.type({ name: 'shell' })).toMatchObject({ kind: 'command' })
  })

  it.each([
    ['an argument', ['{"type":"mail","payload":[1e400]}']],
    ['--payload', ['--type', 'mail', '--payload', '[1e400]']],
    ['--argv', ['--argv', '["echo", 1e400]']],
  ])('rejects a number that would change, in %s', async (_, words) => {
    const { ctl, queue } = await open()
    const ran = await ctl('enqueue', ...words)
    expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining('The number 1e400 would be stored as null;')])
    expect((await queue.counts()).pending).toBe(0)
  })

  it('stores the key of a group', async () => {
    const { ctl, queue } = await open()
    const ran = await ctl('enqueue', '{"command":"true","group":"tenant-1"}')
    const { jobs } = await queue.list()
    expect([ran.code, jobs.map(({ groupKey }) => groupKey)]).toEqual([0, ['tenant-1']])
  })

  it('takes max_retries and backoff_base from the settings of the queue', async () => {
    const { ctl, queue } = await open()
    await ctl('config', 'set', 'max_retries', '5')
    await ctl('config', 'set', 'backoff_base', '3')
    const id = idOf(await ctl('enqueue', '-c', 'make'))
    expect(await queue.get({ id })).toMatchObject({ maxAttempts: 6, backoff: { ...TWO, baseMs: 3_000, factor: 3 } })
    const own = idOf(await ctl('enqueue', '{"command":"exit 1","max_retries":0}'))
    expect(await queue.get({ id: own })).toMatchObject({ maxAttempts: 1 })
  })

  it('waits backoff_base ** attempts seconds between the attempts of a command', async () => {
    const { ctl, queue, take } = await open()
    const id = idOf(await ctl('enqueue', '{"command":"exit 1","max_retries":3}'))
    const waits: number[] = []
    for (let attempt = 1; attempt <= 4; attempt++) {
      const { version } = await take()
      await queue.fail({ id, version, error: 'exit code 1', exitCode: 1 })
      const { runAt, updatedAt, status } = await queue.get({ id })
      waits.push(status === 'failed' ? Number.POSITIVE_INFINITY : runAt - updatedAt)
      if (status !== 'failed') await queue.runNow({ id })
    }
    expect(waits).toEqual([2_000, 4_000, 8_000, Number.POSITIVE_INFINITY])
  })

  it('reads a job of any type from options', async () => {
    const { ctl, queue } = await open()
    const ran = await ctl(
      ...['enqueue', '--type', 'mail', '--payload', '{"to":"ada"}', '--priority', '-5', '--delay', '1h30m'],
      ...['--max-attempts', '7', '--dedupe-key', 'welcome', '--dedupe-until', 'finished', '--timeout', '2m', '--json'],
    )
    expect(ran.json).toEqual([{ id: expect.any(String), status: 'scheduled', state: 'pending', deduplicated: false }])
    const job = await queue.get({ id: String(ran.json[0]?.id) })
    expect(job).toMatchObject({
      type: 'mail',
      payload: { to: 'ada' },
      priority: -5,
      maxAttempts: 7,
      backoff: null,
      dedupeKey: 'welcome',
      dedupeUntil: 'finished',
      timeoutMs: 2 * MINUTE,
      status: 'scheduled',
    })
    expect(job.runAt - job.createdAt).toBe(1.5 * HOUR)
    expect(ran.stderr).toMatch(/due \d{4}-\d\d-\d\dT.* \(in 90 min\)/)
  })

  it('adds no job with a dedupe key in use, and prints the id of the existing job', async () => {
    const { ctl, queue } = await open()
    const first = await ctl('enqueue', '{"id":"job1","command":"sleep 2"}')
    const second = await ctl('enqueue', '{"id":"job1","command":"sleep 2"}')
    expect([second.code, idOf(second)]).toEqual([0, idOf(first)])
    expect(second.stderr).toContain('This job already exists (pending)')
    expect((await queue.counts()).pending).toBe(1)
  })
})

/** Parsing does not depend on the backend, so a file is enough. */
const ACCEPTED: readonly [string, readonly string[], Readonly<Record<string, unknown>>][] = [
  [
    'a command without a shell',
    ['--argv', '["ls","-l"]'],
    { payload: { argv: ['ls', '-l'] }, type: 'shell', maxAttempts: 4 },
  ],
  ['a command with its own type', ['{"command":"x","type":"nightly"}'], { payload: { command: 'x' }, type: 'nightly' }],
  ['run_after in seconds', ['{"command":"x","run_after":4102444800}'], { runAt: 4_102_444_800_000 }],
  ['runAt in milliseconds', ['{"type":"a","runAt":4102444800000}'], { runAt: 4_102_444_800_000 }],
  ['a time with a zone', ['--type', 'a', '--at', '2100-01-01T01:00+01:00'], { runAt: 4_102_444_800_000 }],
  ['a time in seconds', ['--type', 'a', '--at', '4102444800'], { runAt: 4_102_444_800_000 }],
  ['a type without a payload', ['--type', 'a'], { payload: {}, maxAttempts: null }],
  ['max_retries of any job', ['--type', 'a', '--max-retries', '0'], { maxAttempts: 1 }],
  [
    'its own backoff',
    ['{"command":"x","backoff":{"kind":"fixed","baseMs":7}}'],
    { backoff: { kind: 'fixed', baseMs: 7, jitter: 0 } },
  ],
  [
    'JSON that wins over options',
    ['{"type":"a","priority":1,"max_retries":1}', '--priority', '9', '--max-attempts', '9'],
    { priority: 1, maxAttempts: 2 },
  ],
  [
    'options that fill in',
    ['{"payload":7}', '--type', 'a', '--dedupe-key', 'k'],
    { payload: 7, type: 'a', dedupeKey: 'k' },
  ],
]

it.each(ACCEPTED)('accepts %s', async (_, argv, expected) => {
  const { ctl, queue } = await openBackend('file')
  const ran = await ctl('enqueue', ...argv)
  expect(ran.stderr).not.toContain('wrong')
  expect(await queue.get({ id: idOf(ran) })).toMatchObject(expected)
})

const REJECTED: readonly [string, readonly string[], RegExp][] = [
  ['nothing', [], /^Nothing to enqueue; try queuectl enqueue --command "echo hi"/],
  ['a command without its flag', ['echo', 'hi'], /^Did you mean queuectl enqueue --command "echo hi"\?/],
  ['JSON split by the shell', ['{"command":', 'x}'], /quote all of it/],
  ['half of JSON', ['{"command":'], /^Invalid JSON \(.*\); quote all of it/],
  ['text that is not JSON', ['hello'], /^Invalid JSON \(.*\); use --command for a command/],
  ['a list', ['[1]'], /^A job is a JSON object like/],
  ['a misspelt field', ['{"comand":"x"}'], /^A job has no field comand; did you mean command\?/],
  ['an unknown field', ['{"type":"a","colour":"red"}'], /^A job has no field colour; see queuectl help enqueue\./],
  [
    'a field twice',
    ['{"type":"a","max_attempts":1,"maxAttempts":2}'],
    /^The field maxAttempts duplicates another field/,
  ],
  ['neither type nor command', ['{"payload":1}'], /^The job has neither a type nor a command/],
  ['command and payload', ['{"command":"x","payload":1}'], /^Use either command or payload, not both\./],
  ['two times', ['--type', 'a', '--delay', '1s', '--at', '2100-01-01'], /^Use either delayMs or runAt, not both\./],
  ['an empty command', ['--command', ' '], /^Command must be a shell command line/],
  ['argv with a number', ['--argv', '["ls",1]'], /^Argv must be a JSON array of strings/],
  ['negative retries', ['{"command":"x","max_retries":-1}'], /^Max_retries must be a whole number, 0 or more\./],
  ['an invalid run_after', ['{"command":"x","run_after":"soon"}'], /^Run_after must be seconds since 1970/],
  ['a priority out of bounds', ['--type', 'a', '--priority', '1000001'], /^Priority: Too big/],
  [
    'a priority that is not a number',
    ['--type', 'a', '--priority', 'high'],
    /'--priority <number>' argument 'high' is invalid. It must be a whole number/,
  ],
  ['an invalid delay', ['--type', 'a', '--delay', 'soon'], /It must look like 30s, 10m, 1h30m or 7d/],
  ['an invalid time', ['--type', 'a', '--at', 'tomorrow'], /It must look like 2030-01-31T08:00/],
  ['a payload that is not JSON', ['--type', 'a', '--payload', '{to}'], /It is not JSON/],
  ['a job and a file', ['{"type":"a"}', '--file', 'x'], /^Use either a job or --file, not both/],
]

it.each(REJECTED)('rejects %s with the usage exit code, and stores nothing', async (_, argv, message) => {
  const { ctl, queue } = await openBackend('file')
  const ran = await ctl('enqueue', ...argv)
  expect([ran.code, ran.stdout]).toEqual([2, ''])
  expect(ran.stderr).toMatch(message)
  expect((await queue.counts()).pending).toBe(0)
})

describeBackends('a type of another kind', (open) => {
  it('is rejected as a conflict', async () => {
    const { ctl } = await open()
    await ctl('enqueue', '--type', 'mail')
    const ran = await ctl('enqueue', '--command', 'x', '--type', 'mail')
    expect([ran.code, ran.stdout, ran.stderr]).toEqual([
      4,
      '',
      expect.stringContaining('Type mail holds jobs, not commands'),
    ])
  })

  it('reports a payload that the queue rejects as too large', async () => {
    const { ctl } = await open()
    const ran = await ctl('enqueue', '--type', 'mail', '--payload', JSON.stringify('x'.repeat(1_048_576)))
    expect([ran.code, ran.stdout]).toEqual([1, ''])
    expect(ran.stderr).toMatch(/payload/)
  })
})

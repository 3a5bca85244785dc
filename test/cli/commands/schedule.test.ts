/** `queuectl schedule`: lists, previews, creates, changes and runs schedules. */
import { describe, expect, it } from 'vitest'
import { describeBackends } from '../backends.ts'
import { queuectl } from '../terminal.ts'

const NIGHTLY = [
  '--cron',
  '0 3 * * *',
  '--timezone',
  'Europe/Berlin',
  '--type',
  'report',
  '--payload',
  '{"format":"pdf"}',
]

describeBackends('schedule', (open, kind) => {
  it('creates a schedule, shows its next run in its time zone, and lists it', async () => {
    const { ctl } = await open()
    const created = await ctl('schedule', 'create', 'nightly', ...NIGHTLY)
    expect(created).toMatchObject({ code: 0, stdout: 'nightly  Every day at 03:00, Europe/Berlin\n' })
    expect(created.stderr).toMatch(
      /^Schedule nightly created\. Next run: \w{3} \d{4}-\d\d-\d\d 03:00 \+0[12]:00 \(in .*\)\.\n$/,
    )
    const again = await ctl('schedule', 'create', 'nightly', ...NIGHTLY)
    expect([again.code, again.stderr]).toEqual([
      4,
      'Schedule nightly exists already; update it, or choose another name.\n',
    ])

    const listed = await ctl('schedule', 'ls')
    expect(listed.stdout).toMatch(
      /^nightly +active +\w{3} \S+ 03:00 \+0[12]:00 \(in .*\) +report +0 +never +Every day at 03:00/m,
    )
    expect(listed.stderr).toBe('1 schedule.\n')
    const { json } = await ctl('schedule', 'list', '--search', 'NIGHT', '--json')
    expect(json).toMatchObject([{ name: 'nightly', effective: { type: 'report', payload: { format: 'pdf' } } }])
    expect(await ctl('schedule', 'list', '--state', 'paused')).toMatchObject({ stdout: '', stderr: 'No schedules.\n' })
  })

  it('changes, pauses, runs, resumes and deletes a schedule', async () => {
    const { ctl, queue, place } = await open()
    await ctl('schedule', 'create', 'nightly', ...NIGHTLY)
    await ctl('schedule', 'set', 'nightly', '--cron', '0 4 * * 1-5', '--max-runs', '9', '--catch-up-window', '2h')
    const set = await ctl('schedule', 'set', 'nightly', '--max-runs', 'none', '--overlap', 'queueOne')
    expect(set.stdout).toBe('nightly  Every weekday at 04:00, Europe/Berlin\n')
    const changed = { cron: '0 4 * * 1-5', maxRuns: null, overlap: 'queueOne', catchUpWindowMs: 7_200_000 }
    expect((await queue.schedule({ name: 'nightly' })).effective).toMatchObject(changed)

    const paused = await ctl('schedule', 'pause', 'nightly', '--note', 'until May')
    expect(paused.stderr).toBe('Schedule nightly paused; its jobs go on. Run it once with queuectl schedule run.\n')
    const shown = await ctl('schedule', 'show', 'nightly')
    expect(shown.stdout).toMatch(/^state +paused$/m)
    expect(shown.stdout).toMatch(/^paused +by .*: until May$/m)
    expect(shown.stdout).toMatch(/^next run +never$/m)
    expect((await ctl('schedule', 'explain', 'nightly')).stdout).toMatch(
      /^Paused by .* (just now|ago): until May\. Resume it/,
    )

    const ran = await ctl('schedule', 'run', 'nightly')
    expect([ran.code, ran.stderr]).toEqual([0, 'Enqueued.\n'])
    expect(await queue.get({ id: ran.stdout.trim() })).toMatchObject({ type: 'report', payload: { format: 'pdf' } })
    expect((await ctl('schedule', 'show', 'nightly')).stdout).toMatch(
      /^\w{3} .* \((?:now|.* ago)\) +enqueued +manual +\S{36}/m,
    )

    const resumed = await ctl('schedule', 'resume', 'nightly', '--json')
    expect(resumed.json).toMatchObject([{ name: 'nightly', state: 'active', paused: null }])
    expect((await ctl('schedule', 'explain', 'nightly')).stdout).toMatch(/04:00 \+0[12]:00 \(in .*\)\.\n$/)
    expect(await ctl('schedule', 'delete', 'nightly')).toMatchObject({
      code: 0,
      stdout: 'nightly\n',
      stderr: 'Schedule nightly deleted; its jobs remain.\n',
    })
    const actions = (await place.sql('SELECT actor, action FROM millrace_audit ORDER BY id')).map(
      ({ action }) => action,
    )
    const names = ['create', 'update', 'update', 'pause', 'run', 'resume', 'delete'].map((name) => `schedules.${name}`)
    expect(actions).toEqual(names)
  })

  it('clears overrides of a declared schedule, and names its owner', async () => {
    const { ctl, queue } = await open()
    const schedules = [{ name: 'sync', type: 'sync', payload: 1, every: '1h', spread: '50%' }]
    await queue.declareSchedules({ owner: 'billing', schedules })
    await ctl('schedule', 'set', 'sync', '--every', '2h', '--expires-in', '30m')
    const { stdout } = await ctl('schedule', 'show', 'sync')
    expect(stdout).toMatch(/^rule +Every 2 hours$/m)
    expect(stdout).toMatch(/^owner +billing$/m)
    expect(stdout).toMatch(/^overridden +every, expires-in$/m)
    expect(stdout).toMatch(/^NEXT TICKS +RUNS AT$/m)
    await ctl('schedule', 'clear', 'sync', 'every', 'expiresInMs')
    expect((await queue.schedule({ name: 'sync' })).override).toEqual({})
    await queue.declareSchedules({ owner: 'billing', schedules: [] })
    expect((await ctl('schedule', 'list')).stderr).toBe('1 schedule, 1 orphaned.\n')
    expect((await ctl('schedule', 'show', 'sync')).stdout).toMatch(/^stops +.* \(in 24 h\)$/m)
    expect((await ctl('schedule', 'rm', 'sync')).stderr).toBe(
      'Schedule sync deleted; its jobs remain. It appears again when billing declares it.\n',
    )
  })

  it('backfills a range, and reports its progress', async () => {
    const { ctl, queue } = await open()
    await ctl('schedule', 'create', 'hourly', '--every', '1h', '--type', 'sync')
    const range = ['--from', '2026-01-01T00:00:00Z', '--to', '2026-01-01T05:00:00Z']
    if (kind === 'server') {
      const done = await ctl('schedule', 'backfill', 'hourly', ...range, '--wait')
      expect(done).toMatchObject({ code: 0, stderr: 'Backfill done: 6 ticks looked at, 6 jobs enqueued.\n' })
      expect(await queue.counts()).toMatchObject({ pending: 6 })
      const again = await ctl('schedule', 'backfill', 'hourly', ...range, '--wait')
      expect(again.stderr).toBe(
        'Backfill done: 6 ticks looked at, 0 jobs enqueued, 6 left out because they have a job already.\n',
      )
      return
    }
    const started = await ctl('schedule', 'backfill', 'hourly', ...range)
    expect(started.stderr).toMatch(/A running server or worker process on this database carries it out\.\n$/)
    const id = started.stdout.trim()
    const stopped = await ctl('schedule', 'backfill', 'hourly', '--cancel', id)
    expect(stopped).toMatchObject({ code: 0, stdout: `${id}  cancelled\n` })
    expect((await ctl('schedule', 'backfill', 'hourly', '--status', id, '--json')).json).toMatchObject([
      { id, action: 'backfill', state: 'cancelled', changed: 0 },
    ])
  })

  it('enqueues commands for shell workers', async () => {
    const { ctl, queue } = await open()
    await ctl('schedule', 'create', 'backup', '--cron', '@daily', '--command', 'echo hi')
    const { stdout } = await ctl('schedule', 'run', 'backup')
    expect(await queue.get({ id: stdout.trim() })).toMatchObject({ type: 'shell', payload: { command: 'echo hi' } })
    expect((await queue.type({ name: 'shell' })).kind).toBe('command')
  })
})

describe('schedule preview', () => {
  const preview = (...argv: string[]) => queuectl(['schedule', 'preview', ...argv])
  const berlin = ['--cron', '30 2 * * *', '--timezone', 'Europe/Berlin']

  it('needs no queue, and names changes of the clocks', async () => {
    const spring = await preview(...berlin, '--after', '2026-03-27T00:00:00Z', '-n', '3')
    expect([spring.code, spring.stderr]).toEqual([0, ''])
    const [text, , title, ...ticks] = spring.stdout.trimEnd().split('\n')
    expect([text, title]).toEqual(['Every day at 02:30, Europe/Berlin:', expect.stringMatching(/^NEXT TICKS +NOTE$/)])
    expect(ticks.map((line) => line.slice(0, 27))).toEqual([
      'Fri 2026-03-27 02:30 +01:00',
      'Sat 2026-03-28 02:30 +01:00',
      'Sun 2026-03-29 03:00 +02:00',
    ])
    expect(ticks[2]).toMatch(/The clocks go forward/)
  })

  it('prints one line of JSON per tick', async () => {
    const { json } = await preview(...berlin, '--after', '2026-10-24T12:00:00Z', '-n', '2', '--json')
    expect(json).toMatchObject([
      { at: Date.UTC(2026, 9, 25, 0, 30), time: 'Sun 2026-10-25 02:30 +02:00', note: expect.stringMatching(/twice/) },
      { at: Date.UTC(2026, 9, 26, 1, 30), time: 'Mon 2026-10-26 02:30 +01:00', note: null },
    ])
  })

  it('reports a rule that has no further ticks', async () => {
    const ended = await preview('--cron', '0 3 * * *', '--ends-at', '2020-01-01')
    expect([ended.code, ended.stderr]).toEqual([0, 'This schedule has no further ticks.\n'])
  })
})

describe('a usage error of schedule', () => {
  it.each([
    [['preview'], /^Give the name of a schedule, or --cron or --every\.\n$/],
    [['preview', '--timezone', 'UTC'], /^These options need --cron or --every\.\n$/],
    [['preview', '--cron', '0 3 * *'], /^cron: has 4 fields; a cron expression has five/],
    [['preview', '--cron', '@daily', '--timezone', 'Europe/Belrin'], /^timezone: .*did you mean Europe\/Berlin\?\n$/],
    [['preview', '--cron', '@daily', '--every', '1h'], /^Give either --cron or --every, not both\.\n$/],
    [['preview', '--every', '1h', '-n', '101'], /^--limit is at most 100 for a preview\.\n$/],
    [
      ['create', 'x', '--cron', '@daily'],
      /^A schedule needs the type of its jobs: --type <name>, or --command <line>\.\n$/,
    ],
    [['create', 'x', '--type', 'y'], /^A schedule needs a rule: --cron "0 3 \* \* \*", or --every 45m\.\n$/],
    [['create', 'x', '--command', 'ls', '--payload', '1', '--every', '1h'], /^Give either --command or --payload/],
    [['create', 'x', '--type', 'y', '--every', '1h', '--except', 'soon'], /^--except soon: it must be a date like/],
    [['create', 'x', '--overlap', 'wait'], /Allowed choices are skip, queueOne, queueAll, cancel, allow/],
    [['set', 'x'], /^Nothing to set; give at least one option/],
    [['clear', 'x', 'crno'], /^There is no setting crno; did you mean cron\?\n$/],
    [['backfill', 'x'], /^Missing the range: --from <time>/],
    [['backfill', 'x', '--status', 'a', '--undo', 'b'], /^Give one of --from, --status, --cancel and --undo\.\n$/],
  ])('%j is reported with what to do', async (argv, message) => {
    const ran = await queuectl(['schedule', ...argv])
    expect([ran.code, ran.stdout]).toEqual([2, ''])
    expect(ran.stderr).toMatch(message)
  })
})

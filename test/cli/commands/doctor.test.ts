/** `queuectl doctor` on healthy and damaged queues. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import SqliteDatabase from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { EventFrames } from '../../../server/api/event-frames/event-frames.ts'
import { systemClock } from '../../../server/base/clock.ts'
import { readServerConfig } from '../../../server/base/config/server-config.ts'
import { openLog } from '../../../server/base/log.ts'
import { openEngine } from '../../../server/compose/open-engine.ts'
import { createApp } from '../../../server/http/app.ts'
import { listen } from '../../../server/http/listen.ts'
import { ProcessMetrics } from '../../../server/http/metrics/process-metrics.ts'
import type { Place } from '../../support/places.ts'
import { tempFolder } from '../../support/temp.ts'
import { describeBackends, openBackend } from '../backends.ts'
import { queuectl, type Ran } from '../terminal.ts'

const levels = ({ json }: Ran) => Object.fromEntries(json.map(({ check, level }) => [check, level]))

describeBackends('doctor', (open, kind) => {
  it('reports no problem for a healthy queue, and changes nothing', async () => {
    const { ctl, queue } = await open()
    await queue.enqueue({ type: 'mail', payload: 1 })
    const before = await queue.counts()
    const ran = await ctl('doctor', '--json')
    expect([ran.code, Object.values(levels(ran)).includes('bad')]).toEqual([0, false])
    const checks = {
      file: [
        'database',
        'journal',
        'writing',
        'durability',
        'disk',
        'clock',
        'maintenance',
        'stuck jobs',
        'workers',
        'waiting jobs',
        'paused',
        'schedules',
        'indexes',
        'counters',
        'integrity',
      ],
      postgres: [
        'database',
        'durability',
        'clock',
        'maintenance',
        'stuck jobs',
        'workers',
        'waiting jobs',
        'paused',
        'schedules',
        'transactions',
        'indexes',
        'counters',
      ],
      server: [
        'database',
        'ready',
        'version',
        'durability',
        'clock',
        'stuck jobs',
        'workers',
        'waiting jobs',
        'paused',
        'schedules',
        'disk',
        'counters',
        'integrity',
        'indexes',
      ],
    }
    expect(ran.json.map(({ check }) => check)).toEqual(checks[kind])
    const table = await ctl('doctor', '--quick')
    expect(table.stdout).toMatch(/^✓ ok +stuck jobs +none$/m)
    expect(table.stdout).toMatch(kind === 'file' ? /^- skip +integrity +skipped by --quick$/m : /^- skip +counters /m)
    expect(await queue.counts()).toEqual(before)
  })
})

describeBackends('doctor on a queue with waiting jobs', (open) => {
  it('lists types without a worker, long waits with workers, and paused types', async () => {
    const { ctl, place, queue, take } = await open()
    for (const type of ['mail', 'invoice', 'invoice', 'report']) await queue.enqueue({ type, payload: 1 })
    // No worker is online yet, but no job has been waiting for long.
    expect((await ctl('doctor', '--quick')).stdout).toMatch(
      /^✓ ok +waiting jobs +none has been waiting for over a minute/m,
    )
    await queue.enqueue({ type: 'mail', payload: 2 })
    await take('mail')
    await queue.pauseType({ name: 'report' })
    await place.sql(`UPDATE millrace_jobs SET run_at = run_at - 39600000 WHERE status = 'pending'`)
    const { stdout, stderr } = await ctl('doctor')
    expect(stdout).toMatch(
      /^! warn +waiting jobs +no worker runs invoice \(2 jobs, waiting for 11 h\); start a worker/m,
    )
    expect(stdout).toMatch(
      /^! warn +waiting jobs +mail \(1 job, waiting for 11 h\): workers are online, but they are busy/m,
    )
    expect(stdout).toMatch(/^✓ ok +paused +report \(1 job, waiting for 11 h\); resume a type with queuectl resume/m)
    expect(stderr).toMatch(/^No problems, \d warnings\.\n$/)
  })

  it('does not count a draining worker as available', async () => {
    const { ctl, place, queue, take } = await open()
    for (const n of [1, 2]) await queue.enqueue({ type: 'mail', payload: n })
    await take('mail')
    await place.sql(`UPDATE millrace_jobs SET run_at = run_at - 600000 WHERE status = 'pending'`)
    expect((await ctl('doctor', '--quick')).stdout).toMatch(/waiting jobs +mail .*workers are online/)
    await queue.drainWorker({ worker: 'worker-1' })
    const { stdout } = await ctl('doctor', '--quick')
    expect(stdout).toMatch(/^✓ ok +workers +1 seen in the last minute, 1 of them draining$/m)
    expect(stdout).toMatch(/^! warn +waiting jobs +no worker runs mail \(1 job, waiting for 10 min\); start a worker/m)
  })
})

describeBackends('doctor on a queue with schedules', (open) => {
  it('reports schedules that are overdue, orphaned, or paused by the queue', async () => {
    const { ctl, place, queue } = await open()
    const rule = { type: 'report', payload: 1, cron: '@yearly' }
    const names = ['late', 'left', 'misfit', 'fine', 'mine']
    await queue.declareSchedules({ owner: 'billing', schedules: names.map((name) => ({ name, ...rule })) })
    await queue.pauseSchedule({ name: 'mine', note: 'holiday' })
    expect((await ctl('doctor', '--quick')).stdout).toMatch(/^✓ ok +schedules +5, none overdue or orphaned$/m)
    const kept = names.filter((name) => name !== 'left').map((name) => ({ name, ...rule }))
    await queue.declareSchedules({ owner: 'billing', schedules: kept })
    await queue.pauseSchedule({ name: 'misfit', note: 'payload is too large' })
    await place.sql(`UPDATE millrace_schedules SET paused_by = 'upkeep' WHERE name = 'misfit'`)
    // The timer of a server is armed for the next year.
    await place.sql(
      `UPDATE millrace_schedules SET next_run_at = next_run_at - 31536000000 - 120000 WHERE name = 'late'`,
    )
    const { code, stdout } = await ctl('doctor', '--quick')
    expect(stdout).toMatch(
      /^! warn +schedules +misfit \(payload is too large\): paused by the queue: correct the cause/m,
    )
    expect(stdout).toMatch(/^! warn +schedules +left: no longer declared by its application: declare it again/m)
    expect(stdout).toMatch(/^✗ bad +schedules +late: due for over a minute: start a server on this queue$/m)
    expect(code).toBe(1)
  })
})

describe.each(['file', 'postgres'] as const)('doctor on a database that was tampered with (%s)', (kind) => {
  it('finds stuck jobs', async () => {
    const { ctl, place, queue } = await openBackend(kind)
    await queue.enqueue({ type: 'mail', payload: 1, delayMs: 3_600_000 })
    await place.sql('UPDATE millrace_jobs SET run_at = run_at - 3700000')
    const ran = await ctl('doctor', '--json')
    expect([ran.code, levels(ran)['stuck jobs'], levels(ran).maintenance]).toEqual([1, 'bad', 'warn'])
    expect(ran.stderr).toBe('1 problem found, 1 warning.\n')
  })

  it('finds wrong counters', async () => {
    const { ctl, place, queue } = await openBackend(kind)
    await queue.enqueue({ type: 'mail', payload: 1 })
    await place.sql('UPDATE millrace_job_counts SET n = n + 1')
    const ran = await ctl('doctor')
    expect([ran.code, ran.stdout]).toEqual([
      1,
      expect.stringMatching(/^✗ bad +counters +wrong for mail pending; this is a bug/m),
    ])
    expect(await ctl('doctor', '--quick')).toMatchObject({ code: 0 })
  })

  it('finds a lease that ended long ago, and a clock that was set back', async () => {
    const { ctl, place, queue, take } = await openBackend(kind)
    await queue.enqueue({ type: 'mail', payload: 1 })
    await take('mail')
    await place.sql('UPDATE millrace_jobs SET lease_until = 1, updated_at = updated_at + 600000')
    const ran = await ctl('doctor', '--json')
    expect([ran.code, levels(ran)['stuck jobs']]).toEqual([1, 'bad'])
    // On PostgreSQL the clock of the database counts, not the times in the rows.
    expect(levels(ran).clock).toBe(kind === 'file' ? 'warn' : 'ok')
  })

  it('finds jobs that wait while no worker is online', async () => {
    const { ctl, place, queue } = await openBackend(kind)
    await queue.enqueue({ type: 'mail', payload: 1 })
    await place.sql('UPDATE millrace_jobs SET run_at = run_at - 600000')
    expect((await ctl('doctor')).stdout).toMatch(
      /^! warn +workers +none seen in the last minute, and a job has been waiting for 10 min$/m,
    )
  })
})

describe('doctor on a file', () => {
  it('finds missing and foreign indexes', async () => {
    const { ctl, place, queue } = await openBackend('file')
    await queue.enqueue({ type: 'mail', payload: 1 })
    await place.sql('CREATE INDEX mine ON millrace_jobs (priority)')
    expect((await ctl('doctor')).stdout).toMatch(/^! warn +indexes +not part of the schema: mine;/m)
    await place.sql('DROP INDEX mine')
    await place.sql('DROP INDEX millrace_jobs_lease')
    expect(await ctl('doctor')).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^✗ bad +indexes +missing: millrace_jobs_lease;/m),
    })
  })

  it('ignores broken references between tables of the application', async () => {
    const { ctl, place, queue } = await openBackend('file')
    await queue.enqueue({ type: 'mail', payload: 1 })
    await queue.close()
    const db = new SqliteDatabase(place.location)
    db.pragma('foreign_keys = OFF')
    db.exec('CREATE TABLE users (id integer PRIMARY KEY)')
    db.exec('CREATE TABLE orders (user_id integer REFERENCES users (id)); INSERT INTO orders VALUES (7)')
    db.close()
    expect((await ctl('doctor')).stdout).toMatch(/^✓ ok +integrity +tables and indexes agree$/m)
  })

  it('finds an index that does not match its table', async () => {
    const { ctl, place, queue } = await openBackend('file')
    await queue.enqueue({ type: 'mail', payload: 1 })
    await queue.close()
    // Declares the index over another column than it was built from.
    const db = new SqliteDatabase(place.location).unsafeMode()
    db.pragma('writable_schema = on')
    db.exec("UPDATE sqlite_schema SET sql = replace(sql, '`run_at`', '`priority`') WHERE name = 'millrace_jobs_claim'")
    db.pragma(`schema_version = ${Number(db.pragma('schema_version', { simple: true })) + 1}`)
    db.close()
    const ran = await ctl('doctor')
    expect([ran.code, ran.stdout]).toEqual([
      1,
      expect.stringMatching(/^✗ bad +integrity +.*millrace_jobs_claim.*: restore a backup$/m),
    ])
  })

  it('finds a locked file', async () => {
    const { ctl, place } = await openBackend('file')
    const release = await place.hold()
    expect((await ctl('doctor', '--quick')).stdout).toMatch(/^✗ bad +writing +not possible \(database is locked\)/m)
    await release()
  })

  it('finds a journal mode other than WAL, and reduced durability', async () => {
    const { ctlWith, place, queue } = await openBackend('file')
    await queue.close()
    const db = new SqliteDatabase(place.location)
    db.pragma('journal_mode = DELETE')
    db.close()
    const ran = await ctlWith({ env: { DURABILITY: 'normal' } }, 'doctor')
    expect(ran).toMatchObject({ code: 1, stdout: expect.stringMatching(/^✗ bad +journal +delete instead of WAL/m) })
    expect(ran.stdout).toMatch(/^! warn +durability +(DURABILITY=normal|the file is in memory)/m)
  })

  it('reports a database without a queue, and a file that is not a database', async () => {
    const folder = await tempFolder()
    const file = join(folder, 'other.db')
    const db = new SqliteDatabase(file)
    db.exec('CREATE TABLE notes (text)')
    db.close()
    const env = { DB_PATH: file }
    expect(await queuectl(['doctor'], { env })).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('this database has no queue'),
    })
    writeFileSync(join(folder, 'text'), 'not a database, and long enough for SQLite to look at it: '.repeat(20))
    expect(await queuectl(['doctor'], { env: { DB_PATH: join(folder, 'text') } })).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('not a SQLite database'),
    })
  })
})

describe('doctor on PostgreSQL', () => {
  it('finds commits that are acknowledged before they are on disk', async () => {
    const { ctlWith, place } = await openBackend('postgres')
    const ran = await ctlWith({ env: { DATABASE_URL: place.url('normal') } }, 'doctor')
    expect(ran).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^! warn +durability +synchronous_commit is off/m),
    })
  })
})

describe('doctor at a server', () => {
  it('finds a server whose background services do not run', async () => {
    const { queue, place, take } = await openBackend('file')
    await queue.enqueueMany({
      jobs: ['a', 'b', 'c'].map((type) => ({ type, payload: 1, delayMs: type === 'b' ? 9_000_000 : 0 })),
    })
    await take('c')
    await place.sql("UPDATE millrace_jobs SET lease_until = 1 WHERE type = 'c'")
    await place.sql("UPDATE millrace_jobs SET run_at = run_at - 10000000 WHERE type <> 'c'")
    await place.sql('DELETE FROM millrace_workers')
    const ran = await queuectl(['--url', await serveWithoutUpkeep(place), 'doctor', '--json'])
    expect([ran.code, levels(ran)]).toEqual([
      1,
      expect.objectContaining({ ready: 'bad', 'stuck jobs': 'bad', workers: 'warn', durability: 'warn', clock: 'ok' }),
    ])
  })
})

/** A server without background services, and with `normal` durability. */
async function serveWithoutUpkeep(place: Place): Promise<string> {
  const engine = await openEngine({ url: place.url(), services: false, durability: 'normal' })
  const fail = (error: unknown) => {
    throw error
  }
  const parts = { engine, clock: systemClock, onError: fail }
  const frames = new EventFrames({ ...parts, events: engine.events, counts: () => engine.counts() })
  const { handle } = createApp({
    ...{ ...parts, frames, config: readServerConfig({}), log: openLog('silent').logger, pageFolder: null },
    ...{ isClosing: () => false, processMetrics: new ProcessMetrics(systemClock) },
  })
  const listening = await listen(handle, { host: '127.0.0.1', port: 0, clock: systemClock, onError: fail })
  onTestFinished(async () => {
    frames.close()
    await listening.close()
    await engine.close()
  })
  return `http://127.0.0.1:${listening.address.port}`
}

/** `npm start`: start-up text, refused starts and exit. */
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import SqliteDatabase from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { until } from '../support/engine.ts'
import { sqlite, sqliteFile } from '../support/places.ts'
import { startProgram } from '../support/programs/program.ts'
import { describeServer } from '../support/server.ts'
import { tempFolder } from '../support/temp.ts'

describe('a failed start', () => {
  const cases: [string, Readonly<Record<string, string>>, number, RegExp][] = [
    ['a misspelt setting', { DURABILTY: 'full' }, 2, /^DURABILTY is not a setting; did you mean DURABILITY\?\n$/],
    [
      'a bad setting',
      { PORT: 'high' },
      2,
      /^Invalid settings: PORT=high: must be a whole number from 0 to 65535\. .*\n$/,
    ],
    [
      'an unprotected address',
      { HOST: '0.0.0.0' },
      2,
      /^Listening on 0\.0\.0\.0 without authentication would give anyone full access\. Set AUTH_TOKEN .*\n$/,
    ],
    [
      'a folder at the path of the SQLite file',
      { DB_PATH: './file/queue.db' },
      1,
      /^The folder of \S+\/file\/queue\.db cannot be created, because \S+\/file is a file\. .*DB_PATH.*\n$/,
    ],
    [
      'a file that is not a SQLite database',
      { DB_PATH: './file' },
      1,
      /^\S+\/file is not a SQLite database\. .*DB_PATH.*\n$/,
    ],
    ['a database from elsewhere', { DATABASE_URL: 'mysql://u:hunter2@h/d' }, 1, /^Cannot open mysql:….*\n$/],
    [
      'an address of another machine',
      { HOST: '203.0.113.9', AUTH_TOKEN: 's' },
      1,
      /^This machine does not have the address 203.*\n$/,
    ],
  ]
  it.each(cases)(
    'exits with a one-line message because of %s',
    { timeout: 60_000 },
    async (_, settings, code, words) => {
      const folder = await tempFolder()
      writeFileSync(join(folder, 'file'), 'not a database, and long enough for SQLite to look at it: '.repeat(20))
      const program = startProgram(folder, settings)
      expect([await program.ended, program.stdout()]).toEqual([code, ''])
      expect(program.stderr()).toMatch(words)
      expect(program.stderr()).not.toContain('hunter2')
    },
  )

  it('names the process of another server on the same SQLite file', async () => {
    const folder = await tempFolder()
    const first = startProgram(folder)
    await first.listening
    const second = startProgram(folder)
    expect(await second.ended).toBe(1)
    expect(second.stderr()).toMatch(/is already used by a server \(process \d+\)\. Stop that server/)
    expect(second.stderr()).toContain(String(first.child.pid))
    expect(second.stderr().trim().split('\n')).toHaveLength(1)
  })
})

describeServer('a start on a port in use', (_, database) => {
  it('exits and suggests another port when the port is in use', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void taken.close())
    await until(() => taken.listening)
    const address = taken.address()
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0
    const { settings } = await database.create()
    const program = startProgram(await tempFolder(), { ...settings(), PORT: String(port) })
    expect(await program.ended).toBe(1)
    expect(program.stderr()).toMatch(new RegExp(`^Port ${port} is already in use\\. .*PORT=${port + 1} npm start\\n$`))
  })
})

describeServer('a server', (_, database) => {
  it('prints its address and a first command, accepts that job, and exits cleanly', async () => {
    const folder = await tempFolder()
    // The path of the file may be relative, in a folder that does not exist yet.
    const place = database === sqlite ? sqliteFile(join(folder, 'here', 'queue.db')) : await database.create()
    const line = database === sqlite ? 'DB_PATH=./here/queue.db' : `DATABASE_URL=${place.url('full')}`
    writeFileSync(join(folder, '.env'), `${line}\n`)
    const program = startProgram(folder)
    const port = await program.listening
    expect(program.stderr()).toContain(`http://127.0.0.1:${port}/trpc`)
    expect(program.stderr()).toContain(`${place.location} (${database.name}`)
    expect(program.stderr()).toContain('Durability  full')
    const [, url = '', type = '', body = ''] = /curl (\S+) -H '([^']+)' -d '([^']+)'/.exec(program.stderr()) ?? []
    const [name = '', value = ''] = type.split(': ')
    const answer = await fetch(url, { method: 'POST', headers: { [name]: value }, body })
    expect(await answer.json()).toMatchObject({ result: { data: { status: 'pending' } } })
    program.child.kill('SIGTERM')
    expect(await program.ended).toBe(0)
    expect(program.stdout()).toMatch(/"msg":"stopped"\}\n$/)
    expect(await place.sql('SELECT type, status FROM millrace_jobs')).toEqual([{ type: 'hello', status: 'pending' }])
  })

  it('exits at once on a second signal', async () => {
    const { settings } = await database.create()
    const program = startProgram(await tempFolder(), settings())
    const port = await program.listening
    // A request whose body never arrives delays the graceful stop.
    const slow = connect(port, '127.0.0.1')
    slow.on('error', () => {})
    slow.write(
      'POST /trpc/enqueue HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n',
    )
    await fetch(`http://127.0.0.1:${port}/health`)
    program.child.kill('SIGINT')
    await until(() => program.stdout().includes('a second signal stops at once'))
    program.child.kill('SIGINT')
    expect(await program.ended).toBe(130)
    slow.destroy()
  })
})

describe('a server (SQLite)', () => {
  it('exits with code 70 when its file fails', { timeout: 60_000 }, async () => {
    const folder = await tempFolder()
    const program = startProgram(folder, { DB_PATH: './queue.db' })
    const url = `http://127.0.0.1:${await program.listening}/trpc/enqueue`
    // Damage that the next write detects: a table with an invalid definition.
    const db = new SqliteDatabase(join(folder, 'queue.db')).unsafeMode()
    db.pragma('writable_schema = on')
    db.exec("UPDATE sqlite_schema SET sql = 'CREATE TABLE millrace_jobs (damaged' WHERE name = 'millrace_jobs'")
    db.pragma(`schema_version = ${Number(db.pragma('schema_version', { simple: true })) + 1}`)
    db.close()
    const headers = { 'content-type': 'application/json' }
    const answer = fetch(url, { method: 'POST', headers, body: '{"type":"mail","payload":1}' })
    const received = await answer.then(
      ({ status }) => status,
      () => 'nothing',
    )
    expect([await program.ended, ['nothing', 500].includes(received)]).toEqual([70, true])
    expect(program.stdout()).toMatch(/"level":60,.*malformed.*"msg":"database failed; stopping, .*"\}\n$/)
  })
})

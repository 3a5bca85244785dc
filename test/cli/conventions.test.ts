/** Behaviour common to all queuectl commands: help, usage errors, exit codes, colours, missing queues. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { VERSION } from '../../server/base/version.ts'
import { exitCodeOf } from '../../server/cli/exit-codes.ts'
import { ERRORS, QueueError } from '../../shared/errors.ts'
import { sqlite } from '../support/places.ts'
import { describedProgram } from '../support/programs/described-program.ts'
import { startOn } from '../support/server.ts'
import { tempFolder } from '../support/temp.ts'
import { openBackend } from './backends.ts'
import { queuectl } from './terminal.ts'

/** Path of every command, including subcommands. */
function everyCommand(): string[][] {
  const program = describedProgram()
  const walk = (command: typeof program, path: string[]): string[][] =>
    command.commands.flatMap((child) => [[...path, child.name()], ...walk(child, [...path, child.name()])])
  return walk(program, [])
}

describe('help', () => {
  it.each(everyCommand().map((path) => [path.join(' '), path] as const))(
    'of %s shows examples and exits with 0',
    async (name, path) => {
      const ran = await queuectl([...path, '--help'])
      expect([ran.code, ran.stderr]).toEqual([0, ''])
      expect(ran.stdout).toContain(`Usage: queuectl ${name.split(' ')[0]}`)
      expect(ran.stdout).toMatch(/\nExamples:\n {2}\$ queuectl |\n {2}\$ source <\(queuectl /)
      expect(ran.stdout).toContain('--json')
    },
  )

  it('has a documentation page that names every command', () => {
    const page = readFileSync(new URL('../../docs/queuectl.md', import.meta.url), 'utf8')
    const missing = everyCommand().filter(([first, second]) => second === undefined && !page.includes(`\`${first}`))
    expect(missing).toEqual([])
  })

  it('of queuectl itself explains how to select a queue and what the exit codes mean', async () => {
    const ran = await queuectl(['--help'])
    expect([ran.code, ran.stderr]).toEqual([0, ''])
    expect(ran.stdout).toContain('--url or MILLRACE_URL, else DATABASE_URL, else DB_PATH (./data/queue.db)')
    expect(ran.stdout).toContain('5 unreachable or busy')
    expect((await queuectl(['help', 'dlq', 'retry'])).stdout).toContain('queuectl dlq retry')
    expect(await queuectl(['--version'])).toMatchObject({ code: 0, stdout: `${VERSION}\n` })
  })
})

describe('a usage error', () => {
  it.each([
    [[], 2, /^Usage: queuectl/],
    [['lits'], 2, /^Unknown command 'lits'\n\(Did you mean list\?\)\n$/],
    [['dlq'], 2, /^Usage: queuectl dlq/],
    [['dlq', 'retrry'], 2, /^Unknown command 'retrry'\n\(Did you mean retry\?\)\n$/],
    [['list', '--sate', 'dead'], 2, /^Unknown option '--sate'\n\(Did you mean --state\?\)\n$/],
    [['list', '--state', 'deed'], 2, /^There is no state deed; did you mean dead\?\n$/],
    [
      ['list', '--state', 'zzzzzzz'],
      2,
      /^There is no state zzzzzzz; use pending, processing, completed, failed, dead,/,
    ],
    [['list', '--status', 'dead'], 2, /^There is no status dead; /],
    [['list', '--limit', '0'], 2, /It must be 1 or more/],
    [['list', '--sort', 'random'], 2, /Allowed choices are newest, oldest, claim/],
    [['list', 'too', 'much'], 2, /^Too many arguments for 'list'/],
    [['--url', 'mysql://me:hunter2@h/d', 'list'], 2, /^Cannot open mysql:…; use an address like sqlite:/],
    [['--url', 'sqlite::memory:', 'list'], 2, /^An in-memory queue ends with its process/],
    [['--url', 'http://', 'list'], 2, /^http:\/\/ is not a server address/],
    [['--url', 'http://127.0.0.1:3000', 'serve'], 2, /is a server; pass a SQLite file or PostgreSQL to serve/],
    [['watch', '--url', 'sqlite:./x.db'], 2, /^watch needs a terminal/],
    [['completion', 'tcsh'], 2, /Allowed choices are bash, zsh, fish/],
  ] as const)('%j is reported in a line or two, without a stack trace', async (argv, code, message) => {
    const ran = await queuectl(argv)
    expect([ran.code, ran.stdout]).toEqual([code, ''])
    expect(ran.stderr).toMatch(message)
    expect(ran.stderr).not.toMatch(/hunter2|\n {4}at /)
  })
})

describe('exit codes', () => {
  it('map every error code', () => {
    const table: Record<number, string[]> = {}
    for (const code of Object.keys(ERRORS)) {
      const exit = exitCodeOf(new QueueError(code as keyof typeof ERRORS, 'no'))
      if (exit !== null) table[exit] = [...(table[exit] ?? []), code]
    }
    expect(table).toEqual({
      1: [
        'UNAUTHORIZED',
        'FORBIDDEN',
        'WRONG_METHOD',
        'TOO_LARGE',
        'NOT_JSON',
        'UNSUPPORTED',
        'DISK_FULL',
        'INTERNAL',
        'STORE_FAILED',
      ],
      2: ['BAD_INPUT'],
      3: ['NOT_FOUND'],
      4: ['STALE_CLAIM', 'WRONG_STATE', 'DUPLICATE_KEY'],
      5: ['TOO_MANY', 'BUSY', 'CLOSED', 'UNREACHABLE'],
    })
    expect(exitCodeOf(new TypeError('a bug'))).toBeNull()
  })
})

describe('a missing queue', () => {
  it('is not created by read-only commands', async () => {
    const file = join(await tempFolder(), 'queue.db')
    for (const argv of [
      ['list'],
      ['status'],
      ['doctor'],
      ['backup', `${file}.copy`],
      ['config', 'list'],
      ['worker', 'list'],
    ]) {
      const ran = await queuectl(argv, { env: { DB_PATH: file } })
      expect([argv[0], ran.code, ran.stdout]).toEqual([argv[0], 5, ''])
      expect(ran.stderr).toBe(
        `There is no queue at ${file}. Create one with queuectl init, or select another with --url, MILLRACE_URL, DATABASE_URL or DB_PATH.\n`,
      )
    }
    const made = await queuectl(['--url', file, 'enqueue', '-c', 'x'])
    expect([made.code, made.stderr]).toEqual([0, `Created a new queue at ${file}.\nEnqueued; ready to run.\n`])
  })

  it.each([
    [
      'a server',
      'http://127.0.0.1:1/',
      /^The server at http:\/\/127\.0\.0\.1:1 did not respond \(.+\); check that it is running.\n$/,
    ],
    [
      'a PostgreSQL',
      'postgres://me:hunter2@127.0.0.1:1/queue',
      /^PostgreSQL at 127\.0\.0\.1:1\/queue cannot be reached \(.*ECONNREFUSED.*\)/,
    ],
  ])('is reported as unreachable, not as empty: %s', async (_, url, message) => {
    for (const verb of ['list', 'doctor']) {
      const ran = await queuectl(['--url', url, verb])
      expect([verb, ran.code, ran.stdout]).toEqual([verb, 5, ''])
      expect(ran.stderr).toMatch(message)
      expect(ran.stderr).not.toContain('hunter2')
    }
  })

  it('is reported for a file that is not a database', async () => {
    const file = join(await tempFolder(), 'text')
    writeFileSync(file, 'not a database, and long enough for SQLite to look at it: '.repeat(20))
    expect(await queuectl(['--url', `sqlite:${file}`, 'list'])).toMatchObject({
      code: 5,
      stdout: '',
      stderr: `${file} is not a SQLite database. To keep it, choose another file with DB_PATH or the url; a missing file is created.\n`,
    })
  })
})

describe.each(['file', 'postgres'] as const)('a queue that is locked for writing (%s)', (kind) => {
  it('can still be read', async () => {
    const { ctl, place, queue } = await openBackend(kind)
    await queue.enqueue({ type: 'mail', payload: 1 })
    const release = await place.hold()
    const commands = ['list', 'status', 'stats', 'types', 'explain'] as const
    const { id } = (await ctl('list', '--json')).json[0] ?? {}
    for (const verb of commands)
      expect(await ctl(verb, ...(verb === 'explain' ? [String(id)] : []))).toMatchObject({ code: 0 })
    await release()
  })
})

describe('a server with a token', () => {
  it('accepts --token and AUTH_TOKEN, and otherwise asks for one', async () => {
    const { url } = await startOn(sqlite)({ AUTH_TOKEN: 'secret' })
    const env = { MILLRACE_URL: url }
    const without = await queuectl(['list'], { env })
    expect([without.code, without.stdout]).toEqual([1, ''])
    expect(without.stderr).toMatch(/Pass a token with --token or AUTH_TOKEN/)
    expect(await queuectl(['list', '--token', 'wrong'], { env })).toMatchObject({ code: 1 })
    expect(await queuectl(['list', '--token', 'secret'], { env })).toMatchObject({ code: 0 })
    expect(await queuectl(['list'], { env: { ...env, AUTH_TOKEN: 'secret' } })).toMatchObject({ code: 0 })
  })
})

describe('the queue', () => {
  it('is selected by --url, then MILLRACE_URL, then DATABASE_URL, then DB_PATH, then .env', async () => {
    const folder = await tempFolder()
    const names = ['flag', 'millrace', 'database', 'path', 'dotenv']
    const files = new Map(names.map((name) => [name, join(folder, `${name}.db`)]))
    const at = (name: string) => String(files.get(name))
    for (const name of names) await queuectl(['--url', at(name), 'enqueue', '--type', name])
    const envFile = join(folder, '.env')
    writeFileSync(envFile, `DB_PATH=${at('dotenv')}\n`)
    const asked = async (env: Record<string, string>, ...flags: string[]) =>
      (await queuectl([...flags, 'list', '--json'], { env, envFile })).json.map(({ type }) => type)
    const env = {
      MILLRACE_URL: `sqlite:${at('millrace')}`,
      DATABASE_URL: `sqlite:${at('database')}`,
      DB_PATH: at('path'),
    }
    expect(await asked(env, '--url', at('flag'))).toEqual(['flag'])
    expect(await asked(env)).toEqual(['millrace'])
    expect(await asked({ ...env, MILLRACE_URL: '' })).toEqual(['database'])
    expect(await asked({ DB_PATH: at('path') })).toEqual(['path'])
    expect(await asked({})).toEqual(['dotenv'])
  })
})

describe('colours', () => {
  it('are used on terminals only, and never with NO_COLOR', async () => {
    const { ctl, ctlWith } = await openBackend('file')
    await ctl('enqueue', '-c', 'echo hi')
    const YELLOW = '\u001b[33mpending\u001b[39m'
    expect((await ctl('list')).stdout).not.toContain('\u001b')
    expect((await ctlWith({ columns: 200 }, 'list')).stdout).toContain(YELLOW)
    expect((await ctlWith({ columns: 200, env: { NO_COLOR: '1' } }, 'list')).stdout).not.toContain('\u001b')
    expect((await ctlWith({ columns: 200, env: { TERM: 'dumb' } }, 'list')).stdout).not.toContain('\u001b')
    expect((await ctlWith({ columns: 200 }, 'list', '--json')).stdout).not.toContain('\u001b')
  })
})

describe('untrusted text', () => {
  it('cannot send control characters to the terminal', async () => {
    const { ctlWith, queue, take } = await openBackend('file')
    await queue.enqueue({ type: 'mail', payload: { evil: '\u009b31m' }, maxAttempts: 1 })
    const { id, version } = await take('mail')
    await queue.fail({ id, version, error: 'a\u001b]0;owned\u0007b\nc\td' })
    for (const argv of [['list'], ['show', id], ['dlq', 'list'], ['explain', id]]) {
      const { stdout } = await ctlWith({ columns: 300, env: { NO_COLOR: '1' } }, ...argv)
      expect(stdout).toContain('a�]0;owned�b ⏎ c d')
      expect(stdout.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
    }
  })
})

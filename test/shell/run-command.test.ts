/** Commands as attempts: environment, output and outcomes. */
import { realpath } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { BadExit, UnrecoverableError } from '../../server/worker/jobs/handler-errors.ts'
import { limits } from '../../shared/limits.ts'
import { tempFolder } from '../support/temp.ts'
import { attempt, failure } from './support/attempt.ts'

it('returns exit code, duration and the end of stdout of a successful command', async () => {
  const command = attempt({ command: 'echo one; echo two >&2; echo three' })
  const result = await command.ended
  expect(result).toEqual({ exitCode: 0, durationMs: expect.any(Number), stdout: 'one\nthree' })
  expect(command.lines.filter(({ stream }) => stream === 'stdout').map(({ line }) => line)).toEqual(['one', 'three'])
  expect(command.lines.filter(({ stream }) => stream === 'stderr').map(({ line }) => line)).toEqual(['two'])
})

it('logs lines while the command runs', async () => {
  const folder = await tempFolder()
  const command = attempt({ command: 'echo first; while [ ! -e go ]; do sleep 0.01; done; echo last', cwd: folder })
  await command.wrote(/first/)
  await attempt({ argv: ['touch', `${folder}/go`] }).ended
  expect(await command.ended).toMatchObject({ stdout: 'first\nlast' })
})

it('fails with the exit code and the last lines of stderr', async () => {
  const error = await failure(attempt({ command: 'echo fine; echo cannot read the disk >&2; exit 3' }))
  expect(error).toBeInstanceOf(BadExit)
  expect(error).toMatchObject({ exitCode: 3, message: 'Exit code 3: cannot read the disk' })
})

it('keeps the end of a long stderr within the size of a job error', async () => {
  const error = await failure(attempt({ command: 'seq 1 5000 >&2; exit 1' }))
  const { message } = error instanceof BadExit ? error : { message: '' }
  expect(message).toMatch(/^Exit code 1: …\n/)
  expect(message).toMatch(/\n4999\n5000$/)
  expect(message.length).toBeLessThan(limits.jobErrorLength)
})

it.each([
  [{ command: 'exit 7' }, { exitCode: 7, message: 'Exit code 7, no output on stderr' }],
  [{ command: 'kill -9 $$' }, { exitCode: -9, message: 'Killed by SIGKILL, no output on stderr' }],
  [{ command: 'echo bye >&2; kill -SEGV $$' }, { exitCode: -11, message: 'Killed by SIGSEGV: bye' }],
  [{ command: '-x' }, { exitCode: 127, message: expect.stringMatching(/^Exit code 127: .*not found/) }],
  [{ argv: ['no-such-program'] }, { exitCode: 127, message: expect.stringMatching(/^Exit code 127: .*not found/) }],
])('reports how %j ended', async (payload, expected) => {
  expect(await failure(attempt(payload))).toMatchObject(expected)
})

it('runs argv without a shell', async () => {
  const words = ['a;b', '$OUTER', '`id`', '*', '', "it's", '"q"', '-n', 'two words', '&&', '> file']
  const command = attempt({ argv: ['printf', '[%s]\\n', ...words] })
  expect(await command.ended).toMatchObject({ stdout: words.map((word) => `[${word}]`).join('\n') })
})

it('runs in cwd, with its environment over that of the worker', async () => {
  const folder = await realpath(await tempFolder())
  const show = 'pwd; echo "$OUTER $MINE"; echo "$MILLRACE_JOB_TYPE $MILLRACE_JOB_VERSION $MILLRACE_JOB_ATTEMPT"'
  const plain = attempt({ command: show, cwd: folder, env: { MINE: 'mine' } })
  expect(await plain.ended).toMatchObject({ stdout: `${folder}\nfrom outside mine\nshell 3 2` })
  const other = attempt({
    command: 'echo "$OUTER $MILLRACE_JOB_VERSION"',
    env: { OUTER: 'changed', MILLRACE_JOB_VERSION: '9' },
  })
  expect(await other.ended).toMatchObject({ stdout: 'changed 3' })
})

it('fails with a retry when the working directory does not exist', async () => {
  const error = await failure(attempt({ command: 'true', cwd: '/no/such/folder' }))
  expect(error).toMatchObject({ message: 'The working directory /no/such/folder does not exist on this machine.' })
  expect(error).not.toBeInstanceOf(UnrecoverableError)
})

it('has an empty standard input', async () => {
  expect(await attempt({ command: 'cat; echo end' }).ended).toMatchObject({ stdout: 'end' })
})

it.each([
  ['a string', 'echo hi', 'expected object'],
  ['null', null, 'expected object'],
  ['an empty object', {}, 'command'],
  ['an empty command', { command: '' }, 'command must not be empty'],
  ['a NUL', { command: 'echo \0' }, 'command must not contain a NUL'],
  ['both forms', { command: 'true', argv: ['true'] }, '"command"'],
  ['no program', { argv: [] }, 'argv'],
  ['an empty program', { argv: [''] }, 'argv.0 must not be empty'],
  ['a program that would be an option', { argv: ['-c', 'id'] }, 'argv.0 must not begin with -'],
  ['a number among the arguments', { argv: ['sleep', 1] }, 'argv.1'],
  ['an unknown property', { command: 'true', shell: '/bin/zsh' }, '"shell"'],
  ['an invalid variable name', { command: 'true', env: { 'A=B': 'x' } }, 'env.A=B'],
  ['a number as a variable', { command: 'true', env: { A: 1 } }, 'env.A'],
])('fails without a retry on %s', async (_, payload, reason) => {
  const error = await failure(attempt(payload))
  expect(error).toBeInstanceOf(UnrecoverableError)
  expect(error).toMatchObject({
    message: expect.stringMatching(/^The payload is not a command \(.*\); it must be \{ command/),
  })
  expect(error).toMatchObject({ message: expect.stringContaining(reason) })
})

it('fails without a retry on a command that is too long for the system', async () => {
  const error = await failure(attempt({ command: `: ${'x'.repeat(900_000)}` }))
  expect(error).toBeInstanceOf(UnrecoverableError)
  expect(error).toMatchObject({
    message: 'The command and its environment exceed the size limit of this system; shorten them.',
  })
})

/** A command and everything it started end together: when it is stopped, and when it leaves something behind. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { newId } from '../../server/engine/ids.ts'
import { Stopped, type StopReason } from '../../server/worker/jobs/handler.ts'
import { Cancel } from '../../server/worker/jobs/handler-errors.ts'
import { tempFolder } from '../support/temp.ts'
import { attempt, failure } from './attempt.ts'
import { isRunning, processesOf } from './processes.ts'

/** A grandchild that tells its process id and writes to a file as long as it lives. */
const GRANDCHILD = "sh -c 'echo pid=$$; while :; do date >> beat; sleep 0.02; done'"

async function pidFrom(line: Promise<string>): Promise<number> {
  return Number(/pid=(\d+)/.exec(await line)?.[1])
}

describe.each<StopReason>(['timeout', 'cancelled', 'lost', 'disconnected', 'shutdown'])(
  'a command stopped by %s',
  (why) => {
    it('takes its children and their children with it', async () => {
      const folder = await tempFolder()
      const command = attempt({ command: `${GRANDCHILD} & wait`, cwd: folder })
      const pid = await pidFrom(command.wrote(/pid=/))
      await expect.poll(() => existsSync(join(folder, 'beat'))).toBe(true)
      command.stop(why)
      // An attempt without a confirmed lease is given back, not cancelled.
      expect(await failure(command)).toBeInstanceOf(why === 'disconnected' ? Stopped : Cancel)
      await expect.poll(() => [isRunning(pid), processesOf(command.id)]).toEqual([false, []])
    })

    it('is killed when it does not want to end', async () => {
      const stubborn = `trap 'echo asked' TERM; echo pid=$$; while :; do sleep 0.02; done`
      const command = attempt({ command: stubborn }, { killGraceMs: 200 })
      const pid = await pidFrom(command.wrote(/pid=/))
      command.stop(why)
      expect(await failure(command)).toMatchObject({ message: `stopped: ${why}` })
      await expect.poll(() => isRunning(pid)).toBe(false)
      const isAsked = why === 'timeout' || why === 'cancelled'
      expect(command.written().filter((line) => line === 'asked')).toEqual(isAsked ? ['asked'] : [])
    })
  },
)

describe('what a command may do to end well', () => {
  it('includes work of its children after the signal, though the shell above them is gone', async () => {
    const folder = await tempFolder()
    const child = `sh -c 'trap "sleep 0.3; echo tidy > tidied; exit" TERM; echo pid=$$; while :; do sleep 0.02; done'`
    const command = attempt({ command: `${child}; true`, cwd: folder })
    await command.wrote(/pid=/)
    command.stop('timeout')
    await failure(command)
    expect(readFileSync(join(folder, 'tidied'), 'utf8')).toBe('tidy\n')
  })
})

describe('what a command leaves behind', () => {
  it('ends with it, and does not hold it up', async () => {
    const command = attempt({ command: `${GRANDCHILD.replace(' >> beat', ' > /dev/null')} & sleep 0.1; echo over` })
    const pid = await pidFrom(command.wrote(/pid=/))
    expect(await command.ended).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/over$/) })
    await expect.poll(() => isRunning(pid)).toBe(false)
  })

  it.runIf(process.platform === 'linux')('is found even in a session of its own', async () => {
    const daemon = `setsid ${GRANDCHILD.replace(' >> beat', ' > /dev/null')} &`
    const command = attempt({ command: `${daemon} sleep 0.1; exit 5` })
    const pid = await pidFrom(command.wrote(/pid=/))
    expect(await failure(command)).toMatchObject({ exitCode: 5 })
    await expect.poll(() => isRunning(pid)).toBe(false)
  })

  it.runIf(process.platform === 'linux')('is not looked for among newer attempts of the same job', async () => {
    const id = newId()
    const first = attempt({ command: 'sleep 0.2' }, { id, version: 1 })
    const tenth = attempt({ command: 'sleep 0.8; echo alive' }, { id, version: 10 })
    await first.ended
    expect(await tenth.ended).toMatchObject({ stdout: 'alive' })
  })
})

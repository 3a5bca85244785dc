/** Process trees: a command and all its descendants end together. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { newId } from '../../server/base/ids.ts'
import { Stopped, type StopReason } from '../../server/worker/jobs/handler.ts'
import { Cancel } from '../../server/worker/jobs/handler-errors.ts'
import { tempFolder } from '../support/temp.ts'
import { attempt, failure } from './support/attempt.ts'
import { isRunning, processesOf } from './support/processes.ts'

/** A grandchild that prints its process id and writes to a file while it runs. */
const GRANDCHILD = "sh -c 'echo pid=$$; while :; do date >> beat; sleep 0.02; done'"

async function pidFrom(line: Promise<string>): Promise<number> {
  return Number(/pid=(\d+)/.exec(await line)?.[1])
}

describe.each<StopReason>(['timeout', 'cancelled', 'lost', 'disconnected', 'shutdown'])(
  'a command stopped by %s',
  (reason) => {
    it('ends with all its descendants', async () => {
      const folder = await tempFolder()
      const command = attempt({ command: `${GRANDCHILD} & wait`, cwd: folder })
      const pid = await pidFrom(command.wrote(/pid=/))
      await expect.poll(() => existsSync(join(folder, 'beat'))).toBe(true)
      command.stop(reason)
      // An attempt without a confirmed lease is released, not cancelled.
      expect(await failure(command)).toBeInstanceOf(reason === 'disconnected' ? Stopped : Cancel)
      await expect.poll(() => [isRunning(pid), processesOf(command.id)]).toEqual([false, []])
    })

    it('is killed when it ignores SIGTERM', async () => {
      const stubborn = `trap 'echo asked' TERM; echo pid=$$; while :; do sleep 0.02; done`
      const command = attempt({ command: stubborn }, { killGraceMs: 200 })
      const pid = await pidFrom(command.wrote(/pid=/))
      command.stop(reason)
      expect(await failure(command)).toMatchObject({ message: `stopped: ${reason}` })
      await expect.poll(() => isRunning(pid)).toBe(false)
      const isAsked = reason === 'timeout' || reason === 'cancelled'
      expect(command.written().filter((line) => line === 'asked')).toEqual(isAsked ? ['asked'] : [])
    })
  },
)

describe('a graceful exit of a command', () => {
  it('lets children finish within the grace after their shell has exited', async () => {
    const folder = await tempFolder()
    const child = `sh -c 'trap "sleep 0.3; echo tidy > tidied; exit" TERM; echo pid=$$; while :; do sleep 0.02; done'`
    const command = attempt({ command: `${child}; true`, cwd: folder })
    await command.wrote(/pid=/)
    command.stop('timeout')
    await failure(command)
    expect(readFileSync(join(folder, 'tidied'), 'utf8')).toBe('tidy\n')
  })
})

describe('background processes of a command', () => {
  it('end with the command and do not delay it', async () => {
    const command = attempt({ command: `${GRANDCHILD.replace(' >> beat', ' > /dev/null')} & sleep 0.1; echo over` })
    const pid = await pidFrom(command.wrote(/pid=/))
    expect(await command.ended).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/over$/) })
    await expect.poll(() => isRunning(pid)).toBe(false)
  })

  it.runIf(process.platform === 'linux')('are found even in another session', async () => {
    const daemon = `setsid ${GRANDCHILD.replace(' >> beat', ' > /dev/null')} &`
    const command = attempt({ command: `${daemon} sleep 0.1; exit 5` })
    const pid = await pidFrom(command.wrote(/pid=/))
    expect(await failure(command)).toMatchObject({ exitCode: 5 })
    await expect.poll(() => isRunning(pid)).toBe(false)
  })

  it.runIf(process.platform === 'linux')('are not searched among newer attempts of the same job', async () => {
    const id = newId()
    const first = attempt({ command: 'sleep 0.2' }, { id, version: 1 })
    const tenth = attempt({ command: 'sleep 0.8; echo alive' }, { id, version: 10 })
    await first.ended
    expect(await tenth.ended).toMatchObject({ stdout: 'alive' })
  })
})

/** Starts a program on Windows, without a process group and without a watchdog. */
import type { Environment } from '../base/config/config.ts'
import type { ShellCommand } from './command.ts'
import { launch } from './launch.ts'
import type { Started } from './process-tree.ts'

export async function startWindowsProcess({ argv, line, cwd }: ShellCommand, env: Environment): Promise<Started> {
  const [file = line, ...args] = argv ?? []
  const launched = await launch(file, args, {
    ...(cwd === null ? {} : { cwd }),
    env: { ...env },
    shell: argv === null,
    windowsHide: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const isAlive = () => launched.child.exitCode === null && launched.child.signalCode === null
  return {
    ...launched,
    isAlive,
    // Console programs receive no termination request on Windows; they run until killed.
    requestExit: () => {},
    async kill() {
      if (!isAlive()) return
      const killer = await launch('taskkill', ['/pid', `${launched.pid}`, '/t', '/f'], { stdio: 'ignore' })
      await killer.exited
    },
  }
}

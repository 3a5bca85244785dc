/**
 * Starts a program in its own process group on POSIX, with a watchdog process.
 * The watchdog holds a pipe from this process. When the pipe closes, on request or because this process died (kill -9), it
 * kills the whole group, and on Linux also processes that left the group but still have the mark in their environment.
 */
import type { Environment } from '../base/config/config.ts'
import type { ShellCommand } from './command.ts'
import { launch } from './launch.ts'
import type { Started } from './process-tree.ts'

export const MARK = 'MILLRACE_RUN'
const SHELL = '/bin/sh'

/** The program starts only after its watchdog. */
const GATE = 'read -r go <&3 || exit 125; exec "$@" 3<&-'

/** A killed process may just have started another one, so the search repeats until it finds none. */
const WATCHDOG = `trap '' HUP INT TERM
read -r end
kill -s KILL -- "-$1"
for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  found=$(grep -lsF -- "$2" /proc/[0-9]*/environ)
  [ -n "$found" ] || exit 0
  for file in $found; do
    pid=\${file#/proc/}
    kill -s KILL -- "\${pid%/environ}"
  done
done`

export async function startPosixProcess(
  { argv, line, cwd }: ShellCommand,
  env: Environment,
  mark: string,
): Promise<Started> {
  // The final dot keeps the mark of version 1 from matching version 12.
  const fullMark = `${mark}.`
  const program = argv ?? [SHELL, '-c', '--', line]
  const launched = await launch(SHELL, ['-c', GATE, 'sh', ...program], {
    ...(cwd === null ? {} : { cwd }),
    env: { ...env, [MARK]: fullMark },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  })
  const gate = launched.child.stdio[3]
  const watchdog = await launch(
    SHELL,
    ['-c', WATCHDOG, 'millrace-watchdog', `${launched.pid}`, `${MARK}=${fullMark}`],
    {
      cwd: '/',
      // Without the mark: the watchdog would kill itself.
      env: { PATH: env.PATH ?? '/usr/bin:/bin' },
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    },
  ).catch((error: unknown) => {
    gate?.destroy()
    throw error
  })
  // EPIPE of a dead process: its exit is reported by `exited`.
  for (const stream of [gate, watchdog.child.stdin]) stream?.on('error', () => {})
  if (gate && 'end' in gate) gate.end('go\n')

  return {
    ...launched,
    requestExit: () => void signalGroup(launched.pid, 'SIGTERM'),
    isAlive: () => signalGroup(launched.pid, 0),
    async kill() {
      // The watchdog does the same; this covers a watchdog that was killed.
      signalGroup(launched.pid, 'SIGKILL')
      watchdog.child.stdin?.end()
      await watchdog.exited
    },
  }
}

/** Returns false when the group is empty. */
function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-pid, signal)
  } catch (error) {
    // EPERM: the group has a process of another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

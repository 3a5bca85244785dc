/**
 * A program in a process group of its own, on POSIX. A keeper watches over it: a second small process that holds a pipe from
 * this one. When the pipe closes, because we say so or because we are gone (kill -9), it kills the whole group, and on Linux
 * whoever left the group but still carries its mark in the environment.
 */
import type { Environment } from '../base/config/config.ts'
import type { ShellCommand } from './command.ts'
import { launch } from './launch.ts'
import type { Started } from './process-tree.ts'

export const MARK = 'MILLRACE_RUN'
const SHELL = '/bin/sh'

/** The program begins only when its keeper is there: until then it would have none. */
const GATE = 'read -r go <&3 || exit 125; exec "$@" 3<&-'

/** A process that is being killed may be in the middle of starting another one: looked for again until none is found. */
const KEEPER = `trap '' HUP INT TERM
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

export async function startKept({ argv, line, cwd }: ShellCommand, env: Environment, mark: string): Promise<Started> {
  // What ends a mark keeps that of version 1 from being found in version 12.
  const marked = `${mark}.`
  const program = argv ?? [SHELL, '-c', '--', line]
  const launched = await launch(SHELL, ['-c', GATE, 'sh', ...program], {
    ...(cwd === null ? {} : { cwd }),
    env: { ...env, [MARK]: marked },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  })
  const gate = launched.child.stdio[3]
  const keeper = await launch(SHELL, ['-c', KEEPER, 'millrace-keeper', `${launched.pid}`, `${MARK}=${marked}`], {
    cwd: '/',
    // Not the mark: it would find itself.
    env: { PATH: env.PATH ?? '/usr/bin:/bin' },
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  }).catch((error: unknown) => {
    gate?.destroy()
    throw error
  })
  // Whoever is dead does not read; how they died is heard elsewhere.
  for (const stream of [gate, keeper.child.stdin]) stream?.on('error', () => {})
  if (gate && 'end' in gate) gate.end('go\n')

  return {
    ...launched,
    ask: () => void signalGroup(launched.pid, 'SIGTERM'),
    isAlive: () => signalGroup(launched.pid, 0),
    async kill() {
      // The keeper does the same; this is for the day somebody has killed the keeper.
      signalGroup(launched.pid, 'SIGKILL')
      keeper.child.stdin?.end()
      await keeper.exited
    },
  }
}

/** false when nobody is left in the group. */
function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-pid, signal)
  } catch (error) {
    // Somebody is there, though under another user's name.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

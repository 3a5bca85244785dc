/** A temporary PostgreSQL server that ends with the process that started it, at the latest. */
import { spawn } from 'node:child_process'

const KEEPER = new URL('./keeper.mjs', import.meta.url).pathname

export interface PostgresServer {
  /** Address of its first database, as superuser. */
  readonly url: string
  /** Crashes and restarts the server on the same port; resolves when it accepts connections. Not concurrently. */
  restartImmediately(): Promise<void>
  stop(): Promise<void>
}

/** `npm`: the package of the tests, tuned for speed. `installed`: the server of this machine, with default settings. */
export type PostgresOrigin = 'npm' | 'installed'

/** Takes about a second. `settings` as in postgresql.conf. */
export async function startPostgres(
  settings: Readonly<Record<string, string>> = {},
  origin: PostgresOrigin = 'npm',
): Promise<PostgresServer> {
  // A separate process group: Ctrl-C in the terminal must not end the keeper before it has cleaned up.
  const keeper = spawn(process.execPath, [KEEPER, JSON.stringify(settings), origin], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  })
  const ended = new Promise<number | null>((resolve) => keeper.once('close', resolve))
  const nextLine = async () => {
    const line = await new Promise<string | null>((resolve) => {
      keeper.stdout.once('data', (text) => resolve(String(text).trim()))
      ended.then(() => resolve(null))
    })
    if (!line) throw new Error('PostgreSQL did not start; see the output above.')
    return line
  }
  return {
    url: await nextLine(),
    async restartImmediately() {
      const again = nextLine()
      keeper.stdin.write('restart\n')
      await again
    },
    async stop() {
      keeper.stdin.end()
      await ended
    },
  }
}

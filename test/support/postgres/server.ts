/** A throw-away PostgreSQL of its own, which ends with the process that asked for it at the latest. */
import { spawn } from 'node:child_process'

const KEEPER = new URL('./keeper.mjs', import.meta.url).pathname

export interface PostgresServer {
  /** Of its first database, as a user who may do everything. */
  readonly url: string
  /** Crashes it and starts it again on the same port: resolves when it takes connections. One at a time. */
  restartImmediately(): Promise<void>
  stop(): Promise<void>
}

/** `npm`: the part of the tests, tuned for speed. `installed`: the machine's own, with the defaults of its initdb. */
export type PostgresOrigin = 'npm' | 'installed'

/** About a second. `settings` are those of postgresql.conf. */
export async function startPostgres(
  settings: Readonly<Record<string, string>> = {},
  origin: PostgresOrigin = 'npm',
): Promise<PostgresServer> {
  // A group of its own: Ctrl-C in the terminal must leave the keeper alive to clear up.
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
    if (!line) throw new Error('PostgreSQL did not start, for the reason above.')
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

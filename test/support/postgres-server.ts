/** A throw-away PostgreSQL of its own, which ends with the process that asked for it at the latest. */
import { spawn } from 'node:child_process'

const KEEPER = new URL('./postgres-keeper.mjs', import.meta.url).pathname

export interface PostgresServer {
  /** Of its first database, as a user who may do everything. */
  readonly url: string
  stop(): Promise<void>
}

/** About a second. `settings` are those of postgresql.conf. */
export async function startPostgres(settings: Readonly<Record<string, string>> = {}): Promise<PostgresServer> {
  // A group of its own: Ctrl-C in the terminal must leave the keeper alive to clear up.
  const keeper = spawn(process.execPath, [KEEPER, JSON.stringify(settings)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  })
  const ended = new Promise<number | null>((resolve) => keeper.once('close', resolve))
  const url = await new Promise<string | null>((resolve) => {
    keeper.stdout.once('data', (line) => resolve(String(line).trim()))
    ended.then(() => resolve(null))
  })
  if (!url) throw new Error('PostgreSQL did not start, for the reason above.')
  return {
    url,
    async stop() {
      keeper.stdin.end()
      await ended
    },
  }
}

/** `serve`: runs the server, like `npm start`. */
import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { usageError } from '../exit-codes.ts'

interface ServeOptions {
  readonly port?: string
  readonly host?: string
}

export function addServe(program: Command, cli: Cli): void {
  program
    .command('serve')
    .description('run the server (API and dashboard) on a SQLite file or PostgreSQL')
    .option('--port <number>', 'port to listen on (PORT, default 3000)')
    .option('--host <address>', 'address to listen on (HOST, default 127.0.0.1)')
    .addHelpText(
      'after',
      `
All other settings come from the environment and .env; queuectl config check shows them. Ctrl-C stops the server
cleanly.

Examples:
  $ queuectl serve
  $ queuectl --url postgres://me@db/queue serve --port 8080`,
    )
    .action(async ({ port, host }: ServeOptions) => {
      // MILLRACE_URL selects the server for other commands; `serve` needs a database instead.
      const { MILLRACE_URL: _, ...settings } = await cli.environment()
      const where = await cli.where(settings)
      if (where.kind === 'server')
        throw usageError(`${where.shown} is a server; pass a SQLite file or PostgreSQL to serve.`)
      const { runServer } = await import('../../ops/run-server.ts')
      cli.isHandedOver = true
      const { token } = cli.options
      await runServer({
        ...(await cli.io.environment()),
        DATABASE_URL: where.url,
        ...(port !== undefined && { PORT: port }),
        ...(host !== undefined && { HOST: host }),
        ...(token !== undefined && { AUTH_TOKEN: token }),
      })
    })
}

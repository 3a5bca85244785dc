/** `serve`: the server, as `npm start` runs it. */
import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { usage } from '../exit-codes.ts'

interface ServeOptions {
  readonly port?: string
  readonly host?: string
}

export function addServe(program: Command, cli: Cli): void {
  program
    .command('serve')
    .description('run the server: API and dashboard, on a file or PostgreSQL')
    .option('--port <number>', 'where it listens (PORT, 3000)')
    .option('--host <address>', 'on which address (HOST, 127.0.0.1)')
    .addHelpText(
      'after',
      `
Everything else comes from the environment and from .env; queuectl config check explains it. Ctrl-C ends it in good order.

Examples:
  $ queuectl serve
  $ queuectl --url postgres://me@db/queue serve --port 8080`,
    )
    .action(async ({ port, host }: ServeOptions) => {
      // Where queuectl usually finds a server is no place to run one.
      const { MILLRACE_URL: _, ...settings } = await cli.environment()
      const where = await cli.where(settings)
      if (where.kind === 'server') throw usage(`${where.shown} is a server already; give serve a file or PostgreSQL.`)
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

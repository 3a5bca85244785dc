/** `backup`: a copy of a SQLite queue that may be in use. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { Cli } from './cli.ts'
import { EXIT, Refusal } from './exit-codes.ts'
import { requireFile } from './require-file.ts'
import type { Where } from './where.ts'
import { bytes, count, withoutPassword } from './words.ts'

export function addBackup(program: Command, cli: Cli): void {
  program
    .command('backup')
    .description('copy the file of a queue while it is in use, and check the copy')
    .argument('<file>', 'where the copy goes')
    .option('--force', 'replace a file that is there')
    .addHelpText(
      'after',
      `
Of a SQLite file only; PostgreSQL has pg_dump. To restore, stop the server and put the copy in the place of the file,
after removing the -wal and -shm files beside it.

Examples:
  $ queuectl backup /backups/queue-$(date +%F).db`,
    )
    .action(async (target: string, { force }: { readonly force?: boolean }) => {
      const file = sourceOf(await cli.where(), target)
      const copy = resolve(target)
      if (existsSync(copy) && (!force || copy === file)) {
        const advice = copy === file ? 'it is the queue itself' : 'choose another name, or --force to replace it'
        throw new Refusal(EXIT.conflict, `${copy} is there already; ${advice}.`)
      }
      const { copyDatabase } = await import('../caretaking.ts')
      const { inOneLine } = await import('../start-errors.ts')
      try {
        const done = await copyDatabase(file, copy)
        cli.isJson ? cli.printJson({ file: copy, ...done }) : cli.print(copy)
        cli.say(`${count(done.jobs, 'job')}, ${bytes(done.bytes)}, checked.`)
      } catch (error) {
        throw new Refusal(EXIT.failed, `No backup was made: ${inOneLine(error)}`)
      }
    })
}

function sourceOf(where: Where, target: string): string {
  requireFile(where)
  switch (where.kind) {
    case 'sqlite':
      return where.file
    case 'postgres':
      throw new Refusal(
        EXIT.failed,
        `PostgreSQL makes its own backups: pg_dump --format=custom --file=${target} '${withoutPassword(where.url).replace(':…@', '@')}'`,
      )
    case 'server':
      throw new Refusal(
        EXIT.failed,
        `A server does not send its database; run queuectl backup where the file is, without --url and MILLRACE_URL.`,
      )
  }
}

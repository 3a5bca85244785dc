/** `backup`: a copy of a SQLite queue that may be in use, made here or by the server that runs on it. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { EXIT, Refusal, usage } from '../exit-codes.ts'
import { requireFile } from '../input/require-file.ts'
import type { Where } from '../input/where.ts'
import { bytes, count, withoutPassword } from '../output/format.ts'

interface Flags {
  readonly force?: boolean
}

export function addBackup(program: Command, cli: Cli): void {
  program
    .command('backup')
    .description('copy a queue while it is in use, and check the copy')
    .argument('[file]', 'where the copy goes; for a server a name in its BACKUP_FOLDER, by default one with the date')
    .option('--force', 'replace a file that is there; a server replaces none')
    .addHelpText(
      'after',
      `
Of SQLite only; PostgreSQL has pg_dump. To restore, stop the server and put the copy in the place of the file, after
removing the -wal and -shm files beside it; docs/operations.md has the steps.

Examples:
  $ queuectl backup /backups/queue-$(date +%F).db
  $ queuectl --url http://127.0.0.1:3000 backup`,
    )
    .action(async (target: string | undefined, flags: Flags) => {
      const where = await cli.where()
      requireFile(where)
      if (where.kind === 'server') return askServer(cli, where, target, flags)
      if (target === undefined) throw usage('Say where the copy goes: queuectl backup <file>.')
      if (where.kind === 'postgres') throw makesItsOwn(where.url, target)
      return copyFile(cli, where.file, target, flags)
    })
}

async function copyFile(cli: Cli, file: string, target: string, { force = false }: Flags): Promise<void> {
  const copy = resolve(target)
  if (existsSync(copy) && (!force || copy === file)) {
    const advice = copy === file ? 'it is the queue itself' : 'choose another name, or --force to replace it'
    throw new Refusal(EXIT.conflict, `${copy} is there already; ${advice}.`)
  }
  const { copyDatabase } = await import('../../ops/maintenance.ts')
  const { inOneLine } = await import('../../ops/start-errors.ts')
  try {
    tell(cli, { file: copy, ...(await copyDatabase({ file, target: copy, replace: force })) })
  } catch (error) {
    throw new Refusal(EXIT.failed, `No backup was made: ${inOneLine(error)}`)
  }
}

async function askServer(
  cli: Cli,
  { url, token }: Extract<Where, { kind: 'server' }>,
  name: string | undefined,
  { force }: Flags,
): Promise<void> {
  if (force) throw usage('A server replaces no backup; choose another name, or none.')
  const { openRemoteQueue } = await import('../../sdk/remote/remote-queue.ts')
  const queue = openRemoteQueue({ url, token })
  tell(cli, await queue.backup(name === undefined ? {} : { name }))
}

function tell(cli: Cli, done: { readonly file: string; readonly bytes: number; readonly jobs: number }): void {
  cli.isJson ? cli.printJson(done) : cli.print(done.file)
  cli.say(`${count(done.jobs, 'job')}, ${bytes(done.bytes)}, checked.`)
}

function makesItsOwn(url: string, target: string): Refusal {
  const address = withoutPassword(url).replace(':…@', '@')
  return new Refusal(
    EXIT.failed,
    `PostgreSQL makes its own backups: pg_dump --format=custom --file=${target} '${address}'`,
  )
}

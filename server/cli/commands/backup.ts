/** `backup`: copies a SQLite queue while it is in use, locally or through its server. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { type Cli, requireFile } from '../cli.ts'
import { CliError, EXIT, usageError } from '../exit-codes.ts'
import type { Where } from '../input/where.ts'
import { bytes, count, withoutPassword } from '../output/format.ts'

interface Flags {
  readonly force?: boolean
}

export function addBackup(program: Command, cli: Cli): void {
  program
    .command('backup')
    .description('copy a SQLite queue while it is in use, and verify the copy')
    .argument('[file]', 'target file; for a server a name in its BACKUP_FOLDER (default: a name with the date)')
    .option('--force', 'overwrite an existing file (not for a server)')
    .addHelpText(
      'after',
      `
SQLite only; use pg_dump for PostgreSQL. To restore: stop the server, all workers and all other programs,
then follow docs/operations.md.

Examples:
  $ queuectl backup /backups/queue-$(date +%F).db
  $ queuectl --url http://127.0.0.1:3000 backup`,
    )
    .action(async (target: string | undefined, flags: Flags) => {
      const where = await cli.where()
      requireFile(where)
      if (where.kind === 'server') return backupOnServer(cli, where, target, flags)
      if (target === undefined) throw usageError('Missing the target file: queuectl backup <file>.')
      if (where.kind === 'postgres') throw pgDumpInstead(where.url, target)
      return copyFile(cli, where.file, target, flags)
    })
}

async function copyFile(cli: Cli, file: string, target: string, { force = false }: Flags): Promise<void> {
  const copy = resolve(target)
  if (existsSync(copy) && (!force || copy === file)) {
    const advice = copy === file ? 'it is the queue itself' : 'choose another name, or use --force to overwrite it'
    throw new CliError(EXIT.conflict, `${copy} already exists; ${advice}.`)
  }
  const { copyDatabase } = await import('../../ops/maintenance.ts')
  const { formatStartError } = await import('../../ops/start-errors.ts')
  try {
    printBackup(cli, { file: copy, ...(await copyDatabase({ file, target: copy, replace: force })) })
  } catch (error) {
    throw new CliError(EXIT.failed, `Backup failed: ${formatStartError(error)}`)
  }
}

async function backupOnServer(
  cli: Cli,
  { url, token }: Extract<Where, { kind: 'server' }>,
  name: string | undefined,
  { force }: Flags,
): Promise<void> {
  if (force) throw usageError('A server does not overwrite backups; choose another name or leave it out.')
  const { openServerQueue } = await import('../../sdk/node-http/server-queue.ts')
  const queue = openServerQueue({ url, token })
  printBackup(cli, await queue.backup(name === undefined ? {} : { name }))
}

function printBackup(cli: Cli, backup: { readonly file: string; readonly bytes: number; readonly jobs: number }): void {
  cli.isJson ? cli.printJson(backup) : cli.print(backup.file)
  cli.info(`${count(backup.jobs, 'job')}, ${bytes(backup.bytes)}, verified.`)
}

function pgDumpInstead(url: string, target: string): CliError {
  const address = withoutPassword(url).replace(':…@', '@')
  return new CliError(
    EXIT.failed,
    `queuectl backup is for SQLite; for PostgreSQL run: pg_dump --format=custom --file=${target} '${address}'`,
  )
}

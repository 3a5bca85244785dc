/** The command tree of queuectl, in the order of its help. */
import { Command } from 'commander'
import { VERSION } from '../base/version.ts'
import type { Cli, GlobalOptions } from './cli.ts'
import { addBackup } from './commands/backup.ts'
import { addCleanup } from './commands/cleanup.ts'
import { addCompletion } from './commands/completion/completion.ts'
import { addConfig } from './commands/config/config.ts'
import { addDlq } from './commands/dlq.ts'
import { addDoctor } from './commands/doctor/doctor.ts'
import { addEnqueue } from './commands/enqueue/enqueue.ts'
import { addExplain } from './commands/explain.ts'
import { addGroups } from './commands/groups/groups.ts'
import { addInit } from './commands/init.ts'
import { addJobActions } from './commands/job-actions.ts'
import { addTypes } from './commands/job-types.ts'
import { addList } from './commands/list.ts'
import { addLogs } from './commands/logs.ts'
import { addPause } from './commands/pause.ts'
import { addSchedule } from './commands/schedule/schedule.ts'
import { addServe } from './commands/serve.ts'
import { addShow } from './commands/show.ts'
import { addStats } from './commands/stats.ts'
import { addStatus } from './commands/status.ts'
import { addToken } from './commands/token.ts'
import { addWatch } from './commands/watch/watch.ts'
import { addWorker } from './commands/worker/worker.ts'
import type { Io } from './io.ts'

const DESCRIPTION = `Enqueue, inspect and manage jobs of a Millrace queue.

The queue is a SQLite file, a PostgreSQL database or a server:
  --url or MILLRACE_URL, else DATABASE_URL, else DB_PATH (./data/queue.db)`

const EXAMPLES = `
Examples:
  $ queuectl enqueue --command "echo hi"
  $ queuectl list --state dead
  $ queuectl --url http://127.0.0.1:3000 status

Run queuectl help <command> for options and examples. Exit codes: 0 success, 1 error, 2 wrong usage,
3 not found, 4 conflict, 5 unreachable or busy.`

export function createProgram(io: Io): Command {
  return new Command('queuectl')
    .description(DESCRIPTION)
    .version(VERSION, '-V, --version', 'print the version')
    .option(
      '--url <address>',
      'address of the queue: http://host:3000, postgres://user@host/database or sqlite:./queue.db',
    )
    .option('--token <secret>', 'token for a server that requires one (AUTH_TOKEN)')
    .option('--json', 'print JSON, one value per line')
    .helpOption('-h, --help', 'show help')
    .addHelpCommand(new Command('help').argument('[command]').description('show help for a command'))
    .addHelpText('after', EXAMPLES)
    .showSuggestionAfterError(true)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      getOutHelpWidth: () => (io.stdout.isTTY ? Math.max(60, io.stdout.columns) : 100),
      getErrHelpWidth: () => (io.stderr.isTTY ? Math.max(60, io.stderr.columns) : 100),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
      outputError: (text, write) => write(asSentence(text)),
    })
    .exitOverride()
}

export function addCommands(program: Command, cli: Cli): void {
  program.commandsGroup('Jobs:')
  addEnqueue(program, cli)
  addList(program, cli)
  addShow(program, cli)
  addExplain(program, cli)
  addLogs(program, cli)
  addJobActions(program, cli)
  addDlq(program, cli)
  program.commandsGroup('Queue:')
  addStatus(program, cli)
  addStats(program, cli)
  addWatch(program, cli)
  addTypes(program, cli)
  addGroups(program, cli)
  addPause(program, cli)
  addSchedule(program, cli)
  addWorker(program, cli)
  addConfig(program, cli)
  addToken(program, cli)
  program.commandsGroup('Maintenance:')
  addInit(program, cli)
  addServe(program, cli)
  addCleanup(program, cli)
  addBackup(program, cli)
  addDoctor(program, cli)
  addCompletion(program, cli)
}

export function globalOptions(program: Command): GlobalOptions {
  return program.opts<GlobalOptions>()
}

/** Commander writes `error: unknown option`; print a sentence instead. */
function asSentence(text: string): string {
  return text.replace(/^error: (.)/, (_, letter: string) => letter.toUpperCase())
}

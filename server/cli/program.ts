/** The commands of queuectl, in the order of its help. */
import { Command } from 'commander'
import { VERSION } from '../version.ts'
import { addActs } from './acts.ts'
import { addBackup } from './backup.ts'
import { addCleanup } from './cleanup.ts'
import type { Cli, GlobalOptions } from './cli.ts'
import { addCompletion } from './completion.ts'
import { addConfig } from './config.ts'
import { addDlq } from './dlq.ts'
import { addDoctor } from './doctor.ts'
import { addEnqueue } from './enqueue.ts'
import { addExplain } from './explain.ts'
import { addInit } from './init.ts'
import type { Io } from './io.ts'
import { addList } from './list.ts'
import { addLogs } from './logs.ts'
import { addServe } from './serve.ts'
import { addShow } from './show.ts'
import { addStats } from './stats.ts'
import { addStatus } from './status.ts'
import { addToken } from './token.ts'
import { addTypes } from './types.ts'
import { addWatch } from './watch.ts'
import { addWorker } from './worker.ts'

const DESCRIPTION = `Puts jobs into a Millrace queue, watches over them and looks after it.

The queue is a SQLite file, a PostgreSQL database or a server:
  --url or MILLRACE_URL, else DATABASE_URL, else DB_PATH (./data/queue.db)`

const EXAMPLES = `
Examples:
  $ queuectl enqueue --command "echo hi"
  $ queuectl list --state dead
  $ queuectl --url http://127.0.0.1:3000 status

queuectl help <command> has examples for each of them. Exit codes: 0 done, 1 refused or failed, 2 wrong usage,
3 not found, 4 conflict, 5 unreachable or busy.`

export function createProgram(io: Io): Command {
  return new Command('queuectl')
    .description(DESCRIPTION)
    .version(VERSION, '-V, --version', 'print the version')
    .option('--url <address>', 'the queue: http://host:3000, postgres://user@host/database or sqlite:./queue.db')
    .option('--token <secret>', 'the token of a server that asks for one (AUTH_TOKEN)')
    .option('--json', 'print JSON, one value per line')
    .helpOption('-h, --help', 'show help')
    .addHelpCommand(
      new Command('help').argument('[command]').description('show help for a command').helpGroup('Upkeep:'),
    )
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
  addActs(program, cli)
  addDlq(program, cli)
  program.commandsGroup('The queue:')
  addStatus(program, cli)
  addStats(program, cli)
  addWatch(program, cli)
  addTypes(program, cli)
  addWorker(program, cli)
  addConfig(program, cli)
  addToken(program, cli)
  program.commandsGroup('Upkeep:')
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

/** `error: unknown option '--sate'` is how a machine begins. */
function asSentence(text: string): string {
  return text.replace(/^error: (.)/, (_, letter: string) => letter.toUpperCase())
}

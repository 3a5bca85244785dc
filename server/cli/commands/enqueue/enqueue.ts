/** `enqueue`: one job from flags or JSON, or many from lines of JSON. */
import { type Command, Option } from 'commander'
import type { Cli } from '../../cli.ts'
import { duration, instant, json, positive, whole } from '../../input/option-values.ts'
import type { EnqueueOptions } from './enqueue-options.ts'

export function addEnqueue(program: Command, cli: Cli): void {
  program
    .command('enqueue')
    .alias('add')
    .description('put jobs in')
    .argument(
      '[json...]',
      'a job: {"type":"mail","payload":{…}} or {"command":"echo hi","max_retries":3}; - reads lines',
    )
    .option('-c, --command <line>', 'a command line for the shell')
    .option('--argv <json>', 'a command as a JSON array of words, run without a shell', json)
    .option('--type <name>', 'what kind of job (commands: shell)')
    .option('--payload <json>', 'what the worker is given', json)
    .option('--priority <number>', 'higher goes first', whole)
    .option('--delay <duration>', 'not before this has passed: 30s, 10m, 1h30m', duration)
    .option('--at <time>', 'not before this: 2030-01-31T08:00, or seconds since 1970', instant)
    .option('--max-attempts <number>', 'how many times it is tried', positive)
    .option('--max-retries <number>', 'how many times it is tried again', whole)
    .option('--timeout <duration>', 'how long one attempt may take', duration)
    .option('--dedupe-key <key>', 'one job per type and key: a second one is not added')
    .addOption(new Option('--dedupe-until <event>', 'when the key is free again').choices(['removed', 'finished']))
    .option('-f, --file <path>', 'a file with a job of JSON on every line; - is stdin')
    .option('--from-line <number>', 'go on with this line of it', positive, 1)
    .addHelpText(
      'after',
      `
What the JSON of a job says wins; options fill in what it leaves out. Commands wait backoff_base ** attempts seconds
between attempts and are tried again max_retries times: see queuectl config list. The id goes to stdout.

Examples:
  $ queuectl enqueue --command "make report" --delay 10m
  $ queuectl enqueue '{"command":"echo hi","max_retries":3}'
  $ queuectl enqueue --type mail --payload '{"to":"ada@example.com"}' --priority 5 --dedupe-key welcome-ada
  $ queuectl enqueue --file jobs.ndjson
  $ jq -c '.users[] | {type:"mail",payload:.}' users.json | queuectl enqueue -`,
    )
    .action(async (words: string[], options: EnqueueOptions) => {
      const { enqueue } = await import('./enqueue-run.ts')
      await enqueue(cli, words, options)
    })
}

/** `enqueue`: adds one job from flags or JSON, or many from lines of JSON. */
import { type Command, Option } from 'commander'
import type { Cli } from '../../cli.ts'
import { duration, instant, json, positive, whole } from '../../input/option-values.ts'
import type { EnqueueOptions } from './enqueue-run.ts'

export function addEnqueue(program: Command, cli: Cli): void {
  program
    .command('enqueue')
    .alias('add')
    .description('enqueue one or more jobs')
    .argument(
      '[json...]',
      'a job: {"type":"mail","payload":{…}} or {"command":"echo hi","max_retries":3}; - reads one job per line from stdin',
    )
    .option('-c, --command <line>', 'shell command line to run')
    .option('--argv <json>', 'command as a JSON array, run without a shell', json)
    .option('--type <name>', 'job type (default for commands: shell)')
    .option('--payload <json>', 'payload for the worker', json)
    .option('--priority <number>', 'higher runs first', whole)
    .option('--delay <duration>', 'run after this delay: 30s, 10m, 1h30m', duration)
    .option('--at <time>', 'run at this time: 2030-01-31T08:00, or seconds since 1970', instant)
    .option('--max-attempts <number>', 'maximum number of attempts', positive)
    .option('--max-retries <number>', 'maximum number of retries', whole)
    .option('--timeout <duration>', 'time limit of one attempt', duration)
    .option('--group <key>', 'key of the job in the group of its type, such as a tenant')
    .option('--dedupe-key <key>', 'one job per type and key: duplicates are not added')
    .addOption(new Option('--dedupe-until <event>', 'when the key can be used again').choices(['removed', 'finished']))
    .option('-f, --file <path>', 'file with one JSON job per line; - is stdin')
    .option('--from-line <number>', 'start with this line of the file', positive, 1)
    .addHelpText(
      'after',
      `
JSON fields take precedence over options. Commands are retried max_retries times and wait backoff_base ** attempts
seconds between attempts (see queuectl config list). The job id is printed to stdout.

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

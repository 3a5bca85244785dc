/** `config`: settings of the queue, kept in its database; `check` explains those of the environment. */
import type { Command } from 'commander'
import type { Cli } from '../../cli.ts'

export function addConfig(program: Command, cli: Cli): void {
  const config = program
    .command('config')
    .description('settings of the queue, and what the environment says')
    .addHelpText('after', '\nExamples:\n  $ queuectl config list\n  $ queuectl config set max_retries 5')
  config
    .command('list')
    .alias('ls')
    .description('list the settings of the queue: what is set, and what holds otherwise')
    .addHelpText('after', '\nExamples:\n  $ queuectl config list')
    .action(async () => (await import('./config-run.ts')).listSettings(cli))
  config
    .command('get')
    .description('print what a setting is')
    .argument('<key>', 'its name, as config list shows it')
    .addHelpText('after', '\nExamples:\n  $ queuectl config get max_retries')
    .action(async (key: string) => (await import('./config-run.ts')).getSetting(cli, key))
  config
    .command('set')
    .description('set it, from now on and for every process')
    .argument('<key>', 'its name, as config list shows it')
    .argument('<value>', 'a number, true or false, JSON, text, or a duration like 10m; - reads a secret from stdin')
    .addHelpText(
      'after',
      `
max_retries and backoff_base hold for commands that queuectl enqueues from now on; jobs that are in keep theirs.

Examples:
  $ queuectl config set max_retries 5
  $ queuectl config set leaseMs 10m
  $ queuectl config set rate null
  $ queuectl config set webhookUrl https://hooks.example/millrace
  $ queuectl config set webhookSecret - < secret.txt`,
    )
    .action(async (key: string, value: string) => (await import('./config-run.ts')).setSetting(cli, key, value))
  config
    .command('unset')
    .description('take it away, so that the default holds again')
    .argument('<key>', 'its name, as config list shows it')
    .addHelpText('after', '\nExamples:\n  $ queuectl config unset max_retries')
    .action(async (key: string) => (await import('./config-run.ts')).unsetSetting(cli, key))
  config
    .command('check')
    .description('explain the settings in the environment and .env, and what is wrong with them')
    .addHelpText('after', '\nExamples:\n  $ queuectl config check')
    .action(async () => (await import('./config-check.ts')).checkConfig(cli))
}

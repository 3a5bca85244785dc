/** `config`: settings of the queue (in its database) and of the environment (`check`). */
import type { Command } from 'commander'
import type { Cli } from '../../cli.ts'

export function addConfig(program: Command, cli: Cli): void {
  const config = program
    .command('config')
    .description('show and change settings of the queue; check the environment')
    .addHelpText('after', '\nExamples:\n  $ queuectl config list\n  $ queuectl config set max_retries 5')
  config
    .command('list')
    .alias('ls')
    .description('list the settings of the queue with their values and defaults')
    .addHelpText('after', '\nExamples:\n  $ queuectl config list')
    .action(async () => (await import('./config-run.ts')).listSettings(cli))
  config
    .command('get')
    .description('print the value of a setting')
    .argument('<key>', 'setting name, as in config list')
    .addHelpText('after', '\nExamples:\n  $ queuectl config get max_retries')
    .action(async (key: string) => (await import('./config-run.ts')).getSetting(cli, key))
  config
    .command('set')
    .description('change a setting, for all processes, from now on')
    .argument('<key>', 'setting name, as in config list')
    .argument('<value>', 'number, true, false, JSON, text, or a duration like 10m; - reads a secret from stdin')
    .addHelpText(
      'after',
      `
max_retries and backoff_base apply to commands that queuectl enqueues from now on, not to existing jobs.

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
    .description('remove a setting, so that its default applies again')
    .argument('<key>', 'setting name, as in config list')
    .addHelpText('after', '\nExamples:\n  $ queuectl config unset max_retries')
    .action(async (key: string) => (await import('./config-run.ts')).unsetSetting(cli, key))
  config
    .command('check')
    .description('show and validate the settings in the environment and .env')
    .addHelpText('after', '\nExamples:\n  $ queuectl config check')
    .action(async () => (await import('./config-check.ts')).checkConfig(cli))
}

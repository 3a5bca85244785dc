/** `groups`: lists groups and their keys, and changes their rules. */
import { type Command, Option } from 'commander'
import { GROUP_ORDERS, KEY_SORTS, ON_DEAD, WHEN_FULL } from '../../../../shared/groups/choices.ts'
import type { Cli } from '../../cli.ts'
import { positive } from '../../input/option-values.ts'
import { concurrency, type RuleOptions, rate } from './rule-options.ts'
import type { KeysOptions, ListOptions } from './show-groups.ts'

export function addGroups(program: Command, cli: Cli): void {
  const groups = program
    .command('groups')
    .description('list groups (limits per key) and change their rules')
    .addHelpText(
      'after',
      '\nExamples:\n  $ queuectl groups\n  $ queuectl groups keys syncTenant --sort oldest\n  $ queuectl groups set syncTenant tenant-42 --concurrency 5',
    )
  addReads(groups, cli)
  groups
    .command('set')
    .description('override rules of a group, or of one of its keys; they apply at once')
    .argument('<name>', 'name of the group')
    .argument('[key]', 'one key, which may override concurrency, rate and pause')
    .option('--concurrency <number>', 'jobs of a key that may be pending or running at a time, or none', concurrency)
    .option('--rate <jobs/time>', 'jobs of a key that may start per time: 10/1s, 600/min, or none', rate)
    .option('--burst <number>', 'with --rate: jobs that may start at once after a pause', positive)
    .option('--window <number>', 'jobs of a key that are ready for workers at a time', positive)
    .addOption(new Option('--order <order>', 'order of the jobs of a key').choices(GROUP_ORDERS))
    .addOption(new Option('--when-full <policy>', 'what an enqueue does while its key is full').choices(WHEN_FULL))
    .addOption(new Option('--on-dead <policy>', 'with order strict: after a job failed for good').choices(ON_DEAD))
    .addOption(new Option('--paused', 'no further job becomes ready; running jobs continue').conflicts('resume'))
    .option('--resume', 'end a pause; a key also continues after the failed job that stopped it')
    .addHelpText(
      'after',
      `
Examples:
  $ queuectl groups set syncTenant --concurrency 2 --rate 10/1s
  $ queuectl groups set syncTenant tenant-42 --concurrency 5
  $ queuectl groups set syncTenant tenant-42 --resume`,
    )
    .action(async (name: string, key: string | undefined, options: RuleOptions) => {
      const { setRules } = await import('./change-groups.ts')
      await setRules(cli, { name, key }, options)
    })
  groups
    .command('clear')
    .description('remove overrides, so that the rules declared in code apply again')
    .argument('<name>', 'name of the group')
    .argument('<rules...>', 'rules: concurrency, rate, window, order, when-full, on-dead, paused')
    .option('--key <key>', 'overrides of this key (default: those of the group)')
    .addHelpText(
      'after',
      '\nExamples:\n  $ queuectl groups clear syncTenant rate window\n  $ queuectl groups clear syncTenant concurrency --key tenant-42',
    )
    .action(async (name: string, rules: string[], { key }: { readonly key?: string }) => {
      const { clearRules } = await import('./change-groups.ts')
      await clearRules(cli, { name, key }, rules)
    })
}

function addReads(groups: Command, cli: Cli): void {
  const limit = () => new Option('-n, --limit <number>', 'maximum number of rows').argParser(positive).default(50)
  groups
    .command('list', { isDefault: true })
    .alias('ls')
    .description('list groups with their jobs and rules')
    .option('--search <text>', 'only groups with this text in their name')
    .addOption(limit())
    .addHelpText('after', '\nExamples:\n  $ queuectl groups\n  $ queuectl groups list --search tenant')
    .action(async (options: ListOptions) => {
      const { listGroups } = await import('./show-groups.ts')
      await listGroups(cli, options)
    })
  groups
    .command('keys')
    .description('list the keys of a group that have unfinished jobs')
    .argument('<name>', 'name of the group')
    .addOption(
      new Option('--sort <order>', 'most blocked jobs, longest wait or most running jobs first')
        .choices(KEY_SORTS)
        .default('blocked'),
    )
    .option('--search <text>', 'only keys with this text')
    .addOption(limit())
    .addHelpText('after', '\nExamples:\n  $ queuectl groups keys syncTenant --sort oldest')
    .action(async (name: string, options: KeysOptions) => {
      const { listKeys } = await import('./show-groups.ts')
      await listKeys(cli, name, options)
    })
  groups
    .command('show')
    .description('show one key of a group: its jobs, what it waits for, and its rules')
    .argument('<name>', 'name of the group')
    .argument('<key>', 'the key')
    .addHelpText('after', '\nExamples:\n  $ queuectl groups show syncTenant tenant-42')
    .action(async (name: string, key: string) => {
      const { showKey } = await import('./show-groups.ts')
      await showKey(cli, { name, key })
    })
}

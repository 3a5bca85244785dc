/** `token`: creates, lists and revokes access tokens of a server. */
import { type Command, InvalidArgumentError } from 'commander'
import type { Token } from '../../../shared/contracts/tokens.ts'
import { nearest } from '../../../shared/json/nearest.ts'
import type { Queue } from '../../../shared/queue.ts'
import { SCOPES, type Scope } from '../../../shared/scopes.ts'
import type { Cli } from '../cli.ts'
import { CliError, EXIT, usageError } from '../exit-codes.ts'
import { duration } from '../input/option-values.ts'
import { count, joinOr } from '../output/format.ts'
import { type Column, table } from '../output/table.ts'
import { age } from '../output/times.ts'

interface CreateOptions {
  readonly scopes: readonly Scope[]
  readonly typePrefix?: string
  readonly expires?: number
  readonly name?: string
}

export function addToken(program: Command, cli: Cli): void {
  const token = program
    .command('token')
    .description('create, list and revoke access tokens of a server')
    .addHelpText('after', '\nExamples:\n  $ queuectl token create --scopes produce --name web\n  $ queuectl token list')
  token
    .command('create')
    .description('create a token and print it once; with the first token the server starts to require one')
    .requiredOption('--scopes <list>', `scopes, separated by commas: ${SCOPES.join(', ')}`, scopes)
    .option('--type-prefix <text>', 'limit the token to job types with this prefix')
    .option('--expires <duration>', 'expire after this time: 12h, 30d', duration)
    .option('--name <name>', 'name of the token; audit entries show token:<name>')
    .addHelpText(
      'after',
      `
Examples:
  $ queuectl token create --scopes produce,work --type-prefix mail. --expires 30d --name mailer
  $ queuectl token create --scopes produce,work,read,admin --name ops`,
    )
    .action(async (options: CreateOptions) => create(cli, options))
  token
    .command('list')
    .alias('ls')
    .description('list tokens (secrets are not stored and not shown)')
    .addHelpText('after', '\nExamples:\n  $ queuectl token list')
    .action(async () => list(cli))
  token
    .command('revoke')
    .description('revoke a token and end the sessions opened with it')
    .argument('<id>', 'token id, at least 8 characters of its start or end, or the token name')
    .addHelpText('after', '\nExamples:\n  $ queuectl token revoke mailer')
    .action(async (given: string) => revoke(cli, given))
}

async function create(cli: Cli, { scopes: given, typePrefix, expires, name }: CreateOptions): Promise<void> {
  await cli.withQueue(
    async (queue) => {
      const before = await queue.tokens()
      const created = await queue.createToken({
        scopes: [...given],
        ...(typePrefix !== undefined && { typePrefix }),
        ...(expires !== undefined && { expiresInMs: expires }),
        ...(name !== undefined && { name }),
        actor: cli.actor,
      })
      cli.isJson ? cli.printJson(created) : cli.print(created.token)
      cli.info(`Token ${created.name} created. Copy it now: it is not shown again.`)
      if (before.length === 0) cli.info('This is the first token: from now on the server requires a token.')
    },
    { mayCreate: true },
  )
}

async function list(cli: Cli): Promise<void> {
  await cli.withQueue(async (queue) => {
    const tokens = await queue.tokens()
    if (cli.isJson) for (const token of tokens) cli.printJson(token)
    else if (tokens.length > 0) cli.print(...table(columnsOf(cli.now()), tokens, await cli.tableOptions()))
    if (!cli.isJson) cli.info(tokens.length === 0 ? 'No tokens yet.' : `${count(tokens.length, 'token')}.`)
  })
}

function columnsOf(now: number): readonly Column<Token>[] {
  return [
    { title: 'ID', cell: ({ id }) => id },
    { title: 'NAME', cell: ({ name }) => name },
    { title: 'SCOPES', cell: ({ scopes: all }) => all.join(',') },
    { title: 'TYPES', cell: ({ typePrefix }) => (typePrefix === null ? 'all' : `${typePrefix}*`) },
    { title: 'LAST USED', cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : age(lastUsedAt, now)) },
    { title: 'EXPIRES', cell: ({ expiresAt }) => expiry(expiresAt, now) },
    { title: 'CREATED', cell: ({ createdAt }) => age(createdAt, now), isOptional: true },
  ]
}

function expiry(at: number | null, now: number): string {
  if (at === null) return 'never'
  return at <= now ? `expired ${age(at, now)}` : age(at, now)
}

async function revoke(cli: Cli, given: string): Promise<void> {
  await cli.withQueue(async (queue) => {
    const { id, name } = await findToken(queue, given)
    const { changed } = await queue.revokeToken({ id, actor: cli.actor })
    cli.isJson ? cli.printJson({ id, name, changed }) : cli.print(id)
    cli.info(
      changed
        ? `Token ${name} revoked; other servers on this database follow within a second.`
        : `Token ${name} was already revoked.`,
    )
  })
}

async function findToken(queue: Queue, given: string): Promise<Token> {
  const tokens = await queue.tokens()
  const named = tokens.filter(({ id, name }) => id === given || name === given)
  const isPart = given.length >= 8
  const found =
    named.length > 0 ? named : tokens.filter(({ id }) => isPart && (id.startsWith(given) || id.endsWith(given)))
  const [token, ...more] = found
  if (more.length > 0) throw usageError(`${given} matches ${found.length} tokens; use more of the id.`)
  if (token) return token
  const meant = nearest(
    given,
    tokens.map(({ name }) => name),
    3,
  )
  const advice = meant ? `did you mean ${meant}?` : 'see queuectl token list.'
  throw new CliError(EXIT.notFound, `There is no token ${given}; ${advice}`)
}

function scopes(text: string): readonly Scope[] {
  const words = text.split(',').map((word) => word.trim())
  return words.map((word) => {
    const scope = SCOPES.find((known) => known === word)
    if (scope) return scope
    const meant = nearest(word, SCOPES, 2)
    throw new InvalidArgumentError(meant ? `Did you mean ${meant}?` : `Each must be ${joinOr(SCOPES)}.`)
  })
}

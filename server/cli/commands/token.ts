/** `token`: who may use a server, and for what. */
import { type Command, InvalidArgumentError } from 'commander'
import type { Token } from '../../../shared/contracts/tokens.ts'
import { nearest } from '../../../shared/nearest.ts'
import { SCOPES, type Scope } from '../../../shared/scopes.ts'
import type { Queue } from '../../queue/queue.ts'
import type { Cli } from '../cli.ts'
import { EXIT, Refusal, usage } from '../exit-codes.ts'
import { duration } from '../input/option-values.ts'
import { age } from '../input/times.ts'
import { count, either } from '../output/format.ts'
import { type Column, table } from '../output/table.ts'

interface CreateOptions {
  readonly scopes: readonly Scope[]
  readonly typePrefix?: string
  readonly expires?: number
  readonly name?: string
}

export function addToken(program: Command, cli: Cli): void {
  const token = program
    .command('token')
    .description('tokens for callers of a server: make, list and revoke them')
    .addHelpText('after', '\nExamples:\n  $ queuectl token create --scopes produce --name web\n  $ queuectl token list')
  token
    .command('create')
    .description('make a token and print it, this once; from the first one on the server lets nobody in without')
    .requiredOption('--scopes <list>', `what it may do: ${SCOPES.join(', ')}, separated by commas`, scopes)
    .option('--type-prefix <text>', 'only types that begin with this')
    .option('--expires <duration>', 'not after this has passed: 12h, 30d', duration)
    .option('--name <name>', 'who will have it; the audit trail says token:<name>')
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
    .description('list them; their secrets are stored nowhere')
    .addHelpText('after', '\nExamples:\n  $ queuectl token list')
    .action(async () => list(cli))
  token
    .command('revoke')
    .description('make a token worthless, and end the sessions that were opened with it')
    .argument('<id>', 'its id, the end or the first 8 or more characters of it, or its name')
    .addHelpText('after', '\nExamples:\n  $ queuectl token revoke mailer')
    .action(async (given: string) => revoke(cli, given))
}

async function create(cli: Cli, { scopes: given, typePrefix, expires, name }: CreateOptions): Promise<void> {
  await cli.withQueue(
    async (queue) => {
      const before = await queue.tokens()
      const made = await queue.createToken({
        scopes: [...given],
        ...(typePrefix !== undefined && { typePrefix }),
        ...(expires !== undefined && { expiresInMs: expires }),
        ...(name !== undefined && { name }),
        actor: cli.actor,
      })
      cli.isJson ? cli.printJson(made) : cli.print(made.token)
      cli.say(`Token ${made.name} is made. Keep it now: it is not shown again.`)
      if (before.length === 0) cli.say('It is the first one: from now on the server lets nobody in without a token.')
    },
    { mayCreate: true },
  )
}

async function list(cli: Cli): Promise<void> {
  await cli.withQueue(async (queue) => {
    const tokens = await queue.tokens()
    if (cli.isJson) for (const token of tokens) cli.printJson(token)
    else if (tokens.length > 0) cli.print(...table(columnsOf(cli.now()), tokens, await cli.tableOptions()))
    if (!cli.isJson) cli.say(tokens.length === 0 ? 'No tokens yet.' : `${count(tokens.length, 'token')}.`)
  })
}

function columnsOf(now: number): readonly Column<Token>[] {
  return [
    { title: 'ID', cell: ({ id }) => id },
    { title: 'NAME', cell: ({ name }) => name },
    { title: 'SCOPES', cell: ({ scopes: all }) => all.join(',') },
    { title: 'TYPES', cell: ({ typePrefix }) => (typePrefix === null ? 'all' : `${typePrefix}*`) },
    { title: 'USED', cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : age(lastUsedAt, now)) },
    { title: 'EXPIRES', cell: ({ expiresAt }) => expiry(expiresAt, now) },
    { title: 'MADE', cell: ({ createdAt }) => age(createdAt, now), isOptional: true },
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
    cli.say(
      `Token ${name} is revoked${changed ? '; other servers on this database learn it within a second' : ' already'}.`,
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
  if (more.length > 0) throw usage(`${given} fits ${found.length} tokens; give more of the id.`)
  if (token) return token
  const meant = nearest(
    given,
    tokens.map(({ name }) => name),
    3,
  )
  const advice = meant ? `did you mean ${meant}?` : 'queuectl token list shows those there are.'
  throw new Refusal(EXIT.notFound, `There is no token ${given}; ${advice}`)
}

function scopes(text: string): readonly Scope[] {
  const words = text.split(',').map((word) => word.trim())
  return words.map((word) => {
    const scope = SCOPES.find((known) => known === word)
    if (scope) return scope
    const meant = nearest(word, SCOPES, 2)
    throw new InvalidArgumentError(meant ? `Did you mean ${meant}?` : `Each must be ${either(SCOPES)}.`)
  })
}

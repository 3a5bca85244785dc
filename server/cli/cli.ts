/** One run of the command line: where it writes, which queue it was pointed at, and how it ends. */
import { existsSync } from 'node:fs'
import { userInfo } from 'node:os'
import { QueueError } from '../../shared/errors.ts'
import type { Environment } from '../base/config/config.ts'
import type { Queue } from '../queue/queue.ts'
import { EXIT, type ExitCode, exitCodeOf, messageOf, Refusal } from './exit-codes.ts'
import { requireFile } from './input/require-file.ts'
import type { Where, WhereFlags } from './input/where.ts'
import type { Io } from './io.ts'
import { createPaint, type Paint } from './output/paint.ts'
import type { TableOptions } from './output/table.ts'

export interface GlobalOptions extends WhereFlags {
  readonly json?: boolean
}

export interface OpenQueueOptions {
  /** The command may make a file that is not there yet. */
  readonly mayCreate?: boolean
}

export class Cli {
  readonly io: Io
  exitCode: ExitCode = EXIT.ok
  /** The process is somebody else's now, who ends it: a server's. */
  isHandedOver = false
  private readonly globals: () => GlobalOptions
  private env: Promise<Environment> | null = null

  constructor(io: Io, globals: () => GlobalOptions) {
    this.io = io
    this.globals = globals
  }

  get isJson(): boolean {
    return this.globals().json ?? false
  }

  get options(): GlobalOptions {
    return this.globals()
  }

  now(): number {
    return this.io.clock.now()
  }

  /** Data, for people and programs. */
  print(...lines: readonly string[]): void {
    for (const line of lines) this.io.stdout.write(`${line}\n`)
  }

  /** One value per line, whatever it is: a list is as many lines as it has items. */
  printJson(value: unknown): void {
    this.print(JSON.stringify(value))
  }

  /** Words, which no program reads. */
  say(words: string): void {
    this.io.stderr.write(`${words}\n`)
  }

  /** Tells of trouble and goes on; the first trouble decides how the run ends. */
  complain(error: unknown): void {
    const exitCode = exitCodeOf(error)
    if (exitCode === null) throw error
    this.say(messageOf(error))
    if (this.exitCode === EXIT.ok) this.exitCode = exitCode
  }

  environment(): Promise<Environment> {
    this.env ??= this.readEnvironment()
    return this.env
  }

  private async readEnvironment(): Promise<Environment> {
    const { ConfigError } = await import('../base/config/config.ts')
    const { loadEnvironment } = await import('../base/config/environment.ts')
    const variables = await this.io.environment()
    try {
      return loadEnvironment(this.io.envFile, variables)
    } catch (error) {
      throw error instanceof ConfigError ? new Refusal(EXIT.usage, error.message) : error
    }
  }

  async paint(): Promise<Paint> {
    return createPaint(this.io.stdout, await this.environment())
  }

  async tableOptions(): Promise<TableOptions> {
    const { isTTY, columns } = this.io.stdout
    return { paint: await this.paint(), width: isTTY ? columns : Number.POSITIVE_INFINITY }
  }

  /** `env` is what settings are read from, where it is not all there are. */
  async where(env?: Environment): Promise<Where> {
    const { findQueue } = await import('./input/where.ts')
    const { ConfigError } = await import('../base/config/config.ts')
    const settings = env ?? (await this.environment())
    try {
      return findQueue(this.options, settings)
    } catch (error) {
      throw error instanceof ConfigError ? new Refusal(EXIT.usage, error.message) : error
    }
  }

  async withQueue(use: (queue: Queue, where: Where) => Promise<void>, options: OpenQueueOptions = {}): Promise<void> {
    const where = await this.where()
    const isNew = where.kind === 'sqlite' && !existsSync(where.file)
    if (!options.mayCreate) requireFile(where)
    const queue = await this.open(where)
    if (isNew) this.say(`Made a new queue at ${where.file}.`)
    try {
      await use(queue, where)
    } finally {
      await queue.close()
    }
  }

  /** Without services: whoever looks in for a moment neither promotes nor rescues, and leads nothing. */
  private async open(where: Where): Promise<Queue> {
    const { openQueue } = await import('../sdk/open-queue.ts')
    const { inOneLine } = await import('../ops/start-errors.ts')
    if (where.kind === 'server') return openQueue(where.url, where.token === undefined ? {} : { token: where.token })
    const { url, ...config } = where.config
    try {
      return await openQueue(url, {
        ...config,
        services: false,
        onError: (error) => this.say(messageOf(error)),
        // What an operator may not want is for doctor to say, not for every command.
        onWarning: () => {},
      })
    } catch (error) {
      throw error instanceof QueueError ? error : new Refusal(EXIT.unreachable, inOneLine(error))
    }
  }

  /** For the audit trail. */
  get actor(): string {
    return `queuectl (${userName()})`
  }
}

function userName(): string {
  try {
    return userInfo().username
  } catch {
    return 'unknown'
  }
}

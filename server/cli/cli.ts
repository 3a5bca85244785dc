/** Context of one queuectl run: output, queue location and exit code. */
import { existsSync } from 'node:fs'
import { userInfo } from 'node:os'
import { QueueError } from '../../shared/errors.ts'
import type { Queue } from '../../shared/queue.ts'
import type { Environment } from '../base/config/config.ts'
import { CliError, EXIT, type ExitCode, exitCodeOf, messageOf } from './exit-codes.ts'
import type { Where, WhereFlags } from './input/where.ts'
import type { Io } from './io.ts'
import { createPaint, type Paint } from './output/paint.ts'
import type { TableOptions } from './output/table.ts'

export interface GlobalOptions extends WhereFlags {
  readonly json?: boolean
}

export interface OpenQueueOptions {
  /** Creates the SQLite file if it does not exist yet. */
  readonly mayCreate?: boolean
}

export class Cli {
  readonly io: Io
  exitCode: ExitCode = EXIT.ok
  /** True while `serve` runs: the server ends the process itself. */
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

  /** Writes data to stdout. */
  print(...lines: readonly string[]): void {
    for (const line of lines) this.io.stdout.write(`${line}\n`)
  }

  /** Writes one JSON value on one line. A list is printed item by item. */
  printJson(value: unknown): void {
    this.print(JSON.stringify(value))
  }

  /** Writes a message for the user to stderr. */
  info(message: string): void {
    this.io.stderr.write(`${message}\n`)
  }

  /** Prints an error and continues. The first error sets the exit code. Unexpected errors are thrown again. */
  reportError(error: unknown): void {
    const exitCode = exitCodeOf(error)
    if (exitCode === null) throw error
    this.info(messageOf(error))
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
      throw error instanceof ConfigError ? new CliError(EXIT.usage, error.message) : error
    }
  }

  async paint(): Promise<Paint> {
    return createPaint(this.io.stdout, await this.environment())
  }

  async tableOptions(): Promise<TableOptions> {
    const { isTTY, columns } = this.io.stdout
    return { paint: await this.paint(), width: isTTY ? columns : Number.POSITIVE_INFINITY }
  }

  /** `env` replaces the environment that settings are read from. */
  async where(env?: Environment): Promise<Where> {
    const { findQueue } = await import('./input/where.ts')
    const { ConfigError } = await import('../base/config/config.ts')
    const settings = env ?? (await this.environment())
    try {
      return findQueue(this.options, settings)
    } catch (error) {
      throw error instanceof ConfigError ? new CliError(EXIT.usage, error.message) : error
    }
  }

  async withQueue(use: (queue: Queue, where: Where) => Promise<void>, options: OpenQueueOptions = {}): Promise<void> {
    const where = await this.where()
    const isNew = where.kind === 'sqlite' && !existsSync(where.file)
    if (!options.mayCreate) requireFile(where)
    const queue = await this.open(where)
    if (isNew) this.info(`Created a new queue at ${where.file}.`)
    try {
      await use(queue, where)
    } finally {
      await queue.close()
    }
  }

  /** Opens a database without background services: a short command must not become leader or recover jobs. */
  private async open(where: Where): Promise<Queue> {
    const { openQueue } = await import('../sdk/open-queue.ts')
    const { formatStartError } = await import('../ops/start-errors.ts')
    if (where.kind === 'server') return openQueue(where.url, where.token === undefined ? {} : { token: where.token })
    const { url, ...config } = where.config
    try {
      return await openQueue(url, {
        ...config,
        services: false,
        onError: (error) => this.info(messageOf(error)),
        // `queuectl doctor` shows warnings; other commands stay quiet.
        onWarning: () => {},
      })
    } catch (error) {
      throw error instanceof QueueError ? error : new CliError(EXIT.unreachable, formatStartError(error))
    }
  }

  /** Actor of audit entries. */
  get actor(): string {
    return `queuectl (${userName()})`
  }
}

/** Throws for a missing SQLite file, so that a mistyped path does not create a new, empty queue. */
export function requireFile(where: Where): void {
  if (where.kind !== 'sqlite' || existsSync(where.file)) return
  throw new CliError(
    EXIT.unreachable,
    `There is no queue at ${where.file}. Create one with queuectl init, or select another with --url, MILLRACE_URL, DATABASE_URL or DB_PATH.`,
  )
}

function userName(): string {
  try {
    return userInfo().username
  } catch {
    return 'unknown'
  }
}

/** A transaction that a caller has begun, on the caller's connection: nothing is assumed of its settings but that it is PostgreSQL. */
import { type SQL, sql } from 'drizzle-orm'
import type { ClientBase, QueryResultRow } from 'pg'
import { QueueError } from '../../../../shared/errors.ts'
import type { Statements } from '../connection/session.ts'

/** Asks one statement; columns must be text, because everything else is read as the caller's driver was told to. */
export type Ask = <Row extends QueryResultRow>(text: string, values?: readonly unknown[]) => Promise<Answer<Row>>

interface Answer<Row> {
  readonly rows: Row[]
  readonly count: number
}

/** Drizzle's `tx`: on postgres.js it gives the rows themselves. */
interface DrizzleTransaction {
  execute<Row extends QueryResultRow>(query: SQL): PromiseLike<Row[] | { readonly rows: Row[] }>
}

export class HostSession implements Statements {
  readonly schema: string
  readonly now: number
  private readonly ask: Ask
  private sent: Promise<unknown> = Promise.resolve()

  constructor(ask: Ask, schema: string, now: number) {
    this.ask = ask
    this.schema = schema
    this.now = now
  }

  /** Without its name: a statement that stays prepared on the connection could be in the caller's way. */
  async rows<Row extends QueryResultRow>(_: string, text: string, values: readonly unknown[]): Promise<Row[]> {
    return (await this.ask<Row>(text, values)).rows
  }

  async run(_: string, text: string, values: readonly unknown[]): Promise<number> {
    return (await this.ask(text, values)).count
  }

  /** One after the other: a connection that is not ours is not pipelined. */
  send(_: string, text: string, values: readonly unknown[]): void {
    this.sent = this.sent.then(() => this.ask(text, values))
  }

  async answered(): Promise<void> {
    await this.sent
  }
}

export function askOf(tx: unknown): Ask {
  if (isClient(tx)) {
    return async <Row extends QueryResultRow>(text: string, values: readonly unknown[] = []) => {
      const { rows, rowCount } = await tx.query<Row>(text, values.map(asText))
      return { rows, count: rowCount ?? 0 }
    }
  }
  if (isDrizzle(tx)) {
    return async <Row extends QueryResultRow>(text: string, values: readonly unknown[] = []) => {
      const answer = await tx.execute<Row>(bound(text, values.map(asText)))
      const rows = Array.isArray(answer) ? answer : answer.rows
      return { rows, count: Number(Reflect.get(answer, 'rowCount') ?? Reflect.get(answer, 'count') ?? 0) }
    }
  }
  throw new QueueError(
    'BAD_INPUT',
    'This queue is in PostgreSQL: enqueueTx wants the tx of a Drizzle transaction, or a client of pg (not its pool).',
  )
}

/** By shape: the caller's copy of pg need not be ours. */
function isClient(value: unknown): value is ClientBase {
  return hasMethods(value, ['query', 'escapeLiteral'])
}

function isDrizzle(value: unknown): value is DrizzleTransaction {
  return hasMethods(value, ['execute', 'rollback', 'refreshMaterializedView'])
}

function hasMethods(value: unknown, names: readonly string[]): boolean {
  return (
    typeof value === 'object' && value !== null && names.every((name) => typeof Reflect.get(value, name) === 'function')
  )
}

/** `$1`, `$2`… as Drizzle's parameters, which it numbers itself. */
function bound(text: string, values: readonly unknown[]): SQL {
  const parts = text.split(/\$(\d+)/)
  return sql.join(parts.map((part, index) => (index % 2 === 0 ? sql.raw(part) : sql.param(values[Number(part) - 1]))))
}

/** Text is what every driver sends as it is; the statements say what type they make of it. */
function asText(value: unknown): string | null {
  if (value === null || value === undefined) return null
  return Array.isArray(value) ? `{${value.map(asElement).join(',')}}` : String(value)
}

function asElement(value: unknown): string {
  const text = asText(value)
  return text === null ? 'NULL' : `"${text.replace(/["\\]/g, '\\$&')}"`
}

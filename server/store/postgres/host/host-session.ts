/** Statements in a caller's transaction, on the caller's connection, whatever its driver settings. */
import { type SQL, sql } from 'drizzle-orm'
import type { ClientBase, QueryResultRow } from 'pg'
import { QueueError } from '../../../../shared/errors.ts'
import type { Statements } from '../connection/session.ts'

/** Runs one statement. Columns must be text: the caller's driver may parse other types differently. */
export type RunQuery = <Row extends QueryResultRow>(
  text: string,
  values?: readonly unknown[],
) => Promise<QueryRows<Row>>

interface QueryRows<Row> {
  readonly rows: Row[]
  readonly count: number
}

/** Drizzle's `tx`; on postgres.js it returns the rows directly. */
interface DrizzleTransaction {
  execute<Row extends QueryResultRow>(query: SQL): PromiseLike<Row[] | { readonly rows: Row[] }>
}

export class HostSession implements Statements {
  readonly schema: string
  readonly now: number
  readonly instant: number
  private readonly query: RunQuery
  private sent: Promise<unknown> = Promise.resolve()

  constructor(query: RunQuery, schema: string, now: number) {
    this.query = query
    this.schema = schema
    this.now = now
    this.instant = now
  }

  /** Unnamed: a named statement would stay prepared on the caller's connection. */
  async rows<Row extends QueryResultRow>(_: string, text: string, values: readonly unknown[]): Promise<Row[]> {
    return (await this.query<Row>(text, values)).rows
  }

  async run(_: string, text: string, values: readonly unknown[]): Promise<number> {
    return (await this.query(text, values)).count
  }

  /** Runs one after the other: the caller's connection is not pipelined. */
  send(_: string, text: string, values: readonly unknown[]): void {
    this.sent = this.sent.then(() => this.query(text, values))
  }

  async written(): Promise<void> {
    await this.sent
  }
}

export function queryRunner(tx: unknown): RunQuery {
  if (isClient(tx)) {
    return async <Row extends QueryResultRow>(text: string, values: readonly unknown[] = []) => {
      const { rows, rowCount } = await tx.query<Row>(text, values.map(asText))
      return { rows, count: rowCount ?? 0 }
    }
  }
  if (isDrizzle(tx)) {
    return async <Row extends QueryResultRow>(text: string, values: readonly unknown[] = []) => {
      const result = await tx.execute<Row>(bound(text, values.map(asText)))
      const rows = Array.isArray(result) ? result : result.rows
      return { rows, count: Number(Reflect.get(result, 'rowCount') ?? Reflect.get(result, 'count') ?? 0) }
    }
  }
  throw new QueueError(
    'BAD_INPUT',
    'This queue is on PostgreSQL; pass the tx of a Drizzle transaction to enqueueTx, or a client of pg (not its pool).',
  )
}

/** By shape, not `instanceof`: the caller may use another copy of pg. */
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

/** Every driver sends text unchanged; the statements cast it. */
function asText(value: unknown): string | null {
  if (value === null || value === undefined) return null
  return Array.isArray(value) ? `{${value.map(asElement).join(',')}}` : String(value)
}

function asElement(value: unknown): string {
  const text = asText(value)
  return text === null ? 'NULL' : `"${text.replace(/["\\]/g, '\\$&')}"`
}

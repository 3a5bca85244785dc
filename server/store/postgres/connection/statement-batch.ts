/**
 * Statements of one round trip with a single Sync: one packet to the server and one back. With a Sync for each statement, as pg sends
 * it, both sides make a system call for each.
 */
import { type Connection, Query, type QueryResult, type QueryResultRow } from 'pg'
import { encodeParameter } from './parameters.ts'
import { typeParser } from './type-parsers.ts'

export interface Statement {
  /** Prepared under this name, for batches only: pg does not know of it. */
  readonly name: string
  readonly text: string
  readonly values: readonly unknown[]
}

interface Column {
  readonly name: string
  readonly parse: (text: string) => unknown
}

interface Shape {
  readonly columns: readonly Column[]
  /** A row without values. Copies of it cost half of objects that get many keys one by one. */
  readonly empty: QueryResultRow
}

interface Entry {
  readonly name: string
  readonly text: string
  readonly values: (string | null)[]
  readonly result: QueryResult
  readonly resolve: (result: QueryResult) => void
  readonly reject: (error: unknown) => void
}

interface RowDescription {
  readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[]
}

/** Statements that a connection has prepared, with the columns of their rows. */
const prepared = new WeakMap<Connection, Map<string, Shape>>()
const NO_COLUMNS: Shape = { columns: [], empty: {} }
/** pg ignores this argument; its types require it. */
const MORE = true

/** pg calls the methods named handle…, in the order of the responses. The first error skips all statements behind it. */
export class StatementBatch extends Query {
  private readonly entries: Entry[] = []
  private known: Map<string, Shape> = new Map()
  private place = 0
  private shape: Shape = NO_COLUMNS
  private rowError: unknown = null

  constructor() {
    super('', (error) => this.end(error))
  }

  add<Row extends QueryResultRow>({ name, text, values }: Statement): Promise<QueryResult<Row>> {
    return new Promise((resolve, reject) => {
      const result = { command: '', rowCount: null, oid: 0, fields: [], rows: [] }
      this.entries.push({ name, text, values: values.map(encodeParameter), result, resolve, reject })
    })
  }

  override submit = (connection: Connection): void => {
    const known = prepared.get(connection) ?? new Map<string, Shape>()
    prepared.set(connection, known)
    this.known = known
    connection.stream.cork()
    for (const { name, text, values } of this.entries) {
      const isKnown = known.has(name)
      if (!isKnown) {
        // A failed batch leaves open which of its statements were prepared. Closing an unknown name is no error.
        connection.close({ type: 'S', name }, MORE)
        connection.parse({ name, text, types: [] }, MORE)
      }
      connection.bind({ statement: name, values }, MORE)
      if (!isKnown) connection.describe({ type: 'P', name: '' }, MORE)
      connection.execute({}, MORE)
    }
    connection.sync()
    connection.stream.uncork()
  }

  handleRowDescription({ fields }: RowDescription): void {
    const columns = fields.map(({ name, dataTypeID }) => ({ name, parse: typeParser(dataTypeID) }))
    this.shape = { columns, empty: emptyRow(columns) }
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    const entry = this.entries[this.place]
    if (!entry || this.rowError !== null) return
    const shape = this.known.get(entry.name) ?? this.shape
    try {
      entry.result.rows.push(toRow(shape, fields))
    } catch (error) {
      this.rowError = error
    }
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    const entry = this.entries[this.place]
    if (!entry) return
    this.place += 1
    const { name } = entry
    if (!this.known.has(name)) this.known.set(name, this.shape)
    this.shape = NO_COLUMNS
    const words = text.split(' ')
    entry.result.command = words[0] ?? ''
    entry.result.rowCount = words.length > 1 ? Number(words.at(-1)) : null
  }

  private end(error: unknown): void {
    const failure = error ?? this.rowError
    if (error) for (const { name } of this.entries) this.known.delete(name)
    for (const { result, resolve, reject } of this.entries) {
      if (failure) reject(failure)
      else resolve(result)
    }
  }
}

/** Parsed from JSON: an object with many keys that are set one by one is a hash table, and so are its copies. */
function emptyRow(columns: readonly Column[]): QueryResultRow {
  return JSON.parse(`{${columns.map(({ name }) => `${JSON.stringify(name)}:null`).join()}}`)
}

function toRow({ columns, empty }: Shape, values: readonly (string | null)[]): QueryResultRow {
  const row = { ...empty }
  let place = 0
  for (const { name, parse } of columns) {
    const value = values[place++]
    if (value !== null && value !== undefined) row[name] = parse(value)
  }
  return row
}

/**
 * Row types and column lists for raw SQL of both dialects, derived from the Drizzle schema: a renamed column is a compile error.
 * The types come from the SQLite schema only; test/store/schema-twins.test.ts checks that the PostgreSQL schema is the same.
 */
import type * as sqliteQueue from '../../../drizzle/sqlite/schema.ts'
import type * as sqliteAccess from '../../../drizzle/sqlite/schema-access.ts'
import type * as sqliteGroups from '../../../drizzle/sqlite/schema-groups.ts'
import type * as sqliteHistory from '../../../drizzle/sqlite/schema-history.ts'
import type * as sqliteSchedules from '../../../drizzle/sqlite/schema-schedules.ts'

type Tables = typeof sqliteQueue &
  typeof sqliteAccess &
  typeof sqliteGroups &
  typeof sqliteHistory &
  typeof sqliteSchedules
type TableName = keyof Tables
type WholeRow<Name extends TableName> = Tables[Name]['$inferSelect']

/** A row of a table, or some columns of it: `Row<'jobs', 'id' | 'runAt'>`. */
export type Row<Name extends TableName, Key extends keyof WholeRow<Name> = keyof WholeRow<Name>> = Readonly<
  Pick<WholeRow<Name>, Key>
>

/** Some columns of one table, in order. */
export interface Columns<Name extends TableName, Keys extends readonly (keyof WholeRow<Name>)[]> {
  /** For rows as objects: `seq, run_at AS "runAt"`. Use after SELECT or RETURNING. */
  readonly list: string
  /** For rows as arrays: `seq, run_at`. */
  readonly names: string
  /** The position of each column in a row that is read as an array. */
  readonly at: Positions<Keys>
  /** `list` for joins: `j.seq, j.run_at AS "runAt"`. */
  of(alias: string): string
  /** Never set; carries the types for RowOf and TupleOf. */
  readonly row?: Row<Name, Keys[number]>
  readonly tuple?: { -readonly [Place in keyof Keys]: WholeRow<Name>[Keys[Place]] }
}

/** A row that was read with `list`. */
export type RowOf<List extends { readonly row?: unknown }> = NonNullable<List['row']>
/** A row that was read as an array, with `names`. */
export type TupleOf<List extends { readonly tuple?: unknown }> = NonNullable<List['tuple']>

type Positions<Keys extends readonly PropertyKey[]> = {
  readonly [Place in keyof Keys as Place extends `${number}`
    ? Extract<Keys[Place], string>
    : never]: Place extends `${infer Index extends number}` ? Index : never
}

export function columnsOf<Name extends TableName, const Keys extends readonly (keyof WholeRow<Name> & string)[]>(
  _table: Name,
  keys: Keys,
): Columns<Name, Keys> {
  const as = (key: string) => (columnName(key) === key ? key : `${columnName(key)} AS "${key}"`)
  return {
    list: keys.map(as).join(', '),
    names: keys.map(columnName).join(', '),
    at: positionsOf(keys),
    of: (alias) => keys.map((key) => `${alias}.${as(key)}`).join(', '),
  }
}

function positionsOf<Keys extends readonly string[]>(keys: Keys): Positions<Keys> {
  const positions: Record<string, number> = {}
  for (const [place, key] of keys.entries()) positions[key] = place
  return positions as Positions<Keys>
}

/** The schema's naming rule: camelCase keys in TypeScript, snake_case columns in SQL. */
function columnName(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

type SnakeCase<Key extends string> = Key extends `${infer First}${infer Rest}`
  ? First extends Lowercase<First>
    ? `${First}${SnakeCase<Rest>}`
    : `_${Lowercase<First>}${SnakeCase<Rest>}`
  : ''

/** The columns whose name in SQL does not follow the naming rule. */
type Misnamed = {
  [Name in TableName]: Tables[Name]['_']['columns'] extends infer Of
    ? {
        [Key in keyof Of]: Of[Key] extends { readonly _: { readonly name: SnakeCase<Extract<Key, string>> } }
          ? never
          : `${Name}.${Extract<Key, string>}`
      }[keyof Of]
    : never
}[TableName]

type AssertNone<Names extends never> = Names
/** Does not compile when a column's name in SQL does not follow from its key. */
export type NamingRule = AssertNone<Misnamed>

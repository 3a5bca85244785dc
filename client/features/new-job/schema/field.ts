/** Which part of a form a schema becomes. What cannot be drawn is written as JSON. */
import { asSchema, isObject, listOf, resolve, type Schema, textOf } from './schema.ts'

/** Deeper than this a form helps nobody; it also ends schemas that contain themselves. */
const MAX_DEPTH = 5

export type Field =
  | { readonly kind: 'text'; readonly schema: Schema }
  | { readonly kind: 'number'; readonly schema: Schema; readonly isWhole: boolean }
  | { readonly kind: 'boolean'; readonly schema: Schema }
  | { readonly kind: 'choice'; readonly schema: Schema; readonly options: readonly unknown[] }
  | { readonly kind: 'object'; readonly schema: Schema; readonly members: readonly Member[] }
  | { readonly kind: 'list'; readonly schema: Schema; readonly items: Schema }
  | { readonly kind: 'json'; readonly schema: Schema }

export interface Member {
  readonly name: string
  readonly schema: Schema
  readonly isRequired: boolean
}

export function fieldOf(given: Schema, root: Schema, depth = 0): Field {
  const schema = resolve(given, root)
  const options = optionsOf(schema)
  if (options) return { kind: 'choice', schema, options }
  if (depth > MAX_DEPTH || MIXED.some((word) => word in schema)) return { kind: 'json', schema }
  switch (schema.type) {
    case 'string':
      return { kind: 'text', schema }
    case 'number':
    case 'integer':
      return { kind: 'number', schema, isWhole: schema.type === 'integer' }
    case 'boolean':
      return { kind: 'boolean', schema }
    case 'object': {
      const members = membersOf(schema)
      return members.length > 0 ? { kind: 'object', schema, members } : { kind: 'json', schema }
    }
    case 'array':
      return isObject(schema.items) && !('prefixItems' in schema)
        ? { kind: 'list', schema, items: schema.items }
        : { kind: 'json', schema }
    default:
      return { kind: 'json', schema }
  }
}

/** Schemas made of others have no one shape. */
const MIXED = ['anyOf', 'oneOf', 'allOf', 'not', 'if', 'patternProperties', 'dependentSchemas']

export function membersOf(schema: Schema): readonly Member[] {
  const required = new Set(listOf(schema.required))
  return Object.entries(asSchema(schema.properties)).map(([name, member]) => {
    return { name, schema: asSchema(member), isRequired: required.has(name) }
  })
}

/** `enum`, `const`, and alternatives that are all constant. */
function optionsOf(schema: Schema): readonly unknown[] | null {
  if (Array.isArray(schema.enum)) return schema.enum
  if ('const' in schema) return [schema.const]
  const all = listOf(schema.anyOf ?? schema.oneOf).map(asSchema)
  return all.length > 0 && all.every((one) => 'const' in one) ? all.map((one) => one.const) : null
}

/** What a field is called, and what is said of it. */
export function titleOf(schema: Schema, name: string): string {
  return textOf(schema.title) ?? name
}

/** Maps a schema to a form field; schemas without a matching field are edited as JSON. */
import { isObject } from '../../../../shared/json/is-object.ts'
import { asSchema, listOf, resolve, type Schema, textOf } from './schema.ts'

/** Deeper levels are edited as JSON. Also ends recursive schemas. */
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

export function fieldOf(unresolved: Schema, root: Schema, depth = 0): Field {
  const schema = resolve(unresolved, root)
  const options = optionsOf(schema)
  if (options) return { kind: 'choice', schema, options }
  if (depth > MAX_DEPTH || COMBINED.some((keyword) => keyword in schema)) return { kind: 'json', schema }
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

/** Keywords that combine schemas, so that no single field fits. */
const COMBINED = ['anyOf', 'oneOf', 'allOf', 'not', 'if', 'patternProperties', 'dependentSchemas']

export function membersOf(schema: Schema): readonly Member[] {
  const required = new Set(listOf(schema.required))
  return Object.entries(asSchema(schema.properties)).map(([name, member]) => {
    return { name, schema: asSchema(member), isRequired: required.has(name) }
  })
}

/** Values of `enum`, `const`, or of alternatives that are all constants. */
function optionsOf(schema: Schema): readonly unknown[] | null {
  if (Array.isArray(schema.enum)) return schema.enum
  if ('const' in schema) return [schema.const]
  const all = listOf(schema.anyOf ?? schema.oneOf).map(asSchema)
  return all.length > 0 && all.every((one) => 'const' in one) ? all.map((one) => one.const) : null
}

export function titleOf(schema: Schema, name: string): string {
  return textOf(schema.title) ?? name
}

/** Validates a value against a JSON Schema; unknown keywords are ignored. */

import { isObject } from '../../../../shared/json/is-object.ts'
import { InvalidJson } from './invalid-json.ts'
import { asSchema, listOf, numberOf, type Path, resolve, type Schema } from './schema.ts'
import { validateNumber, validateString } from './validate-scalars.ts'

export interface Problem {
  readonly path: Path
  readonly message: string
}

/** Limit on reported problems. */
const MAX_PROBLEMS = 50

export function validate(value: unknown, schema: Schema, root: Schema = schema): readonly Problem[] {
  const problems: Problem[] = []
  visit(value, schema, [])
  return problems.slice(0, MAX_PROBLEMS)

  function visit(one: unknown, part: unknown, path: Path): void {
    if (problems.length >= MAX_PROBLEMS) return
    const report = (message: string) => void problems.push({ path, message })
    const schema = resolve(asSchema(part), root)
    const mismatch = part === false ? 'is not allowed' : mismatchOf(one, schema)
    if (mismatch !== null) {
      report(mismatch)
      return
    }
    if (typeof one === 'string') for (const message of validateString(one, schema)) report(message)
    if (typeof one === 'number') for (const message of validateNumber(one, schema)) report(message)
    if (Array.isArray(one)) visitArray(one, schema, path, report)
    else if (isObject(one)) visitObject(one, schema, path)
    visitAlternatives(one, schema, path, report)
  }

  function visitObject(one: Readonly<Record<string, unknown>>, schema: Schema, path: Path): void {
    const properties = asSchema(schema.properties)
    for (const name of listOf(schema.required)) {
      if (typeof name === 'string' && one[name] === undefined) {
        problems.push({ path: [...path, name], message: 'is required' })
      }
    }
    for (const [name, member] of Object.entries(one)) {
      if (member === undefined) continue
      if (name in properties) visit(member, properties[name], [...path, name])
      else if ('additionalProperties' in schema && !('patternProperties' in schema)) {
        visit(member, schema.additionalProperties, [...path, name])
      }
    }
  }

  function visitArray(one: readonly unknown[], schema: Schema, path: Path, report: (message: string) => void): void {
    const [least, most] = [numberOf(schema.minItems), numberOf(schema.maxItems)]
    if (least !== undefined && one.length < least)
      report(`must have at least ${least} ${least === 1 ? 'item' : 'items'}`)
    if (most !== undefined && one.length > most) report(`must have at most ${most} ${most === 1 ? 'item' : 'items'}`)
    if (schema.uniqueItems === true && new Set(one.map((item) => JSON.stringify(item))).size < one.length) {
      report('must not contain duplicates')
    }
    const fixed = listOf(schema.prefixItems)
    for (const [index, item] of one.entries()) {
      const part = index < fixed.length ? fixed[index] : schema.items
      if (part !== undefined) visit(item, part, [...path, index])
    }
  }

  function visitAlternatives(one: unknown, schema: Schema, path: Path, report: (message: string) => void): void {
    for (const part of listOf(schema.allOf)) visit(one, part, path)
    const any = listOf(schema.anyOf)
    const passes = (part: unknown) => part !== false && validate(one, asSchema(part), root).length === 0
    if (any.length > 0 && !any.some(passes)) report('matches none of the allowed schemas')
    const exactly = listOf(schema.oneOf)
    if (exactly.length > 0 && exactly.filter(passes).length !== 1)
      report('must match exactly one of the allowed schemas')
  }
}

/** Mismatch that makes further checks pointless. */
function mismatchOf(value: unknown, schema: Schema): string | null {
  if (value instanceof InvalidJson) return value.problem
  if (value === undefined) return 'is missing'
  if (!isOfType(value, schema.type)) return `must be ${formatType(schema.type)}`
  const options = Array.isArray(schema.enum) ? schema.enum : 'const' in schema ? [schema.const] : null
  if (!options || options.some((option) => isEqual(option, value))) return null
  const all = options.map((option) => JSON.stringify(option)).join(', ')
  return options.length === 1 ? `must be ${all}` : `must be one of ${all}`
}

function isOfType(value: unknown, type: unknown): boolean {
  if (Array.isArray(type)) return type.some((one) => isOfType(value, one))
  switch (type) {
    case 'string':
    case 'boolean':
      return typeof value === type
    case 'number':
      return typeof value === 'number'
    case 'integer':
      return Number.isInteger(value)
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isObject(value)
    default:
      return true
  }
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  null: 'null',
  array: 'an array',
  object: 'an object',
}

function formatType(type: unknown): string {
  const all = Array.isArray(type) ? type : [type]
  return all.map((one) => TYPE_NAMES[String(one)] ?? String(one)).join(' or ')
}

/** Deep equality, independent of the order of members. */
function isEqual(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((one, n) => isEqual(one, b[n]))
  if (isObject(a) && isObject(b)) {
    const names = Object.keys(a)
    return names.length === Object.keys(b).length && names.every((name) => isEqual(a[name], b[name]))
  }
  return a === b
}

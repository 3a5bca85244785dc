/** Checks a value against a schema and says in words what is wrong where; keywords it does not know are passed over. */
import { checkNumber, checkText } from './check-scalars.ts'
import { asSchema, isObject, listOf, numberOf, type Path, resolve, type Schema } from './schema.ts'
import { Unparsed } from './unparsed.ts'

export interface Problem {
  readonly path: Path
  readonly message: string
}

/** More are not read. */
const MOST = 50

export function check(value: unknown, given: Schema, root: Schema = given): readonly Problem[] {
  const problems: Problem[] = []
  look(value, given, [])
  return problems.slice(0, MOST)

  function look(one: unknown, part: unknown, path: Path): void {
    if (problems.length >= MOST) return
    const say = (message: string) => void problems.push({ path, message })
    const schema = resolve(asSchema(part), root)
    const refusal = part === false ? 'is not allowed here' : refusalOf(one, schema)
    if (refusal !== null) {
      say(refusal)
      return
    }
    if (typeof one === 'string') for (const message of checkText(one, schema)) say(message)
    if (typeof one === 'number') for (const message of checkNumber(one, schema)) say(message)
    if (Array.isArray(one)) lookAtList(one, schema, path, say)
    else if (isObject(one)) lookAtObject(one, schema, path)
    lookAtAlternatives(one, schema, path, say)
  }

  function lookAtObject(one: Readonly<Record<string, unknown>>, schema: Schema, path: Path): void {
    const properties = asSchema(schema.properties)
    for (const name of listOf(schema.required)) {
      if (typeof name === 'string' && one[name] === undefined) {
        problems.push({ path: [...path, name], message: 'is needed' })
      }
    }
    for (const [name, member] of Object.entries(one)) {
      if (member === undefined) continue
      if (name in properties) look(member, properties[name], [...path, name])
      else if ('additionalProperties' in schema && !('patternProperties' in schema)) {
        look(member, schema.additionalProperties, [...path, name])
      }
    }
  }

  function lookAtList(one: readonly unknown[], schema: Schema, path: Path, say: (message: string) => void): void {
    const [least, most] = [numberOf(schema.minItems), numberOf(schema.maxItems)]
    if (least !== undefined && one.length < least) say(`needs at least ${least} of them`)
    if (most !== undefined && one.length > most) say(`must not have more than ${most}`)
    if (schema.uniqueItems === true && new Set(one.map((item) => JSON.stringify(item))).size < one.length) {
      say('must not have the same one twice')
    }
    const fixed = listOf(schema.prefixItems)
    for (const [place, item] of one.entries()) {
      const part = place < fixed.length ? fixed[place] : schema.items
      if (part !== undefined) look(item, part, [...path, place])
    }
  }

  function lookAtAlternatives(one: unknown, schema: Schema, path: Path, say: (message: string) => void): void {
    for (const part of listOf(schema.allOf)) look(one, part, path)
    const any = listOf(schema.anyOf)
    const passes = (part: unknown) => part !== false && check(one, asSchema(part), root).length === 0
    if (any.length > 0 && !any.some(passes)) say('fits none of the shapes that are allowed here')
    const exactly = listOf(schema.oneOf)
    if (exactly.length > 0 && exactly.filter(passes).length !== 1)
      say('must fit exactly one of the shapes allowed here')
  }
}

/** What makes the rest not worth looking at. */
function refusalOf(value: unknown, schema: Schema): string | null {
  if (value instanceof Unparsed) return value.problem
  if (value === undefined) return 'is missing'
  if (!isOfType(value, schema.type)) return `must be ${inWords(schema.type)}`
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

const WORDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  null: 'null',
  array: 'a list',
  object: 'an object',
}

function inWords(type: unknown): string {
  const all = Array.isArray(type) ? type : [type]
  return all.map((one) => WORDS[String(one)] ?? String(one)).join(' or ')
}

/** Members of objects may stand in any order. */
function isEqual(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((one, n) => isEqual(one, b[n]))
  if (isObject(a) && isObject(b)) {
    const names = Object.keys(a)
    return names.length === Object.keys(b).length && names.every((name) => isEqual(a[name], b[name]))
  }
  return a === b
}

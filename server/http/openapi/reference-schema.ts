/** Renders a JSON Schema as an HTML list of fields. */
import { escapeHtml } from '../requests/error-page.ts'
import { asObject, isList, type Json, type JsonObject, listAt, objectAt, text } from './json.ts'

const PREFIX = '#/components/schemas/'
/** Maximum nesting shown. */
const DEPTH = 6

export function schemaHtml(schema: JsonObject, components: JsonObject, depth = 0): string {
  const shape = resolve(schema, components)
  const choices = [...listAt(shape, 'oneOf'), ...listAt(shape, 'anyOf')].map(asObject)
  if (choices.some((choice) => isBranching(resolve(choice, components))) && depth < DEPTH) {
    return `<span class="soft">${choices.length > 2 ? 'one of' : 'either'}</span><ul class="fields">${choices
      .map((choice) => `<li>${schemaHtml(choice, components, depth + 1)}</li>`)
      .join('')}</ul>`
  }
  const fields = Object.entries(objectAt(shape, 'properties'))
  if (fields.length > 0 && depth < DEPTH) return fieldsHtml(shape, fields, components, depth)
  const items = shape.items === undefined ? null : resolve(asObject(shape.items), components)
  const kind = `<span class="soft">${escapeHtml(kindOf(shape, components))}</span>`
  return items && isBranching(items) ? `${kind} ${schemaHtml(items, components, depth + 1)}` : kind
}

function fieldsHtml(
  shape: JsonObject,
  fields: readonly (readonly [string, Json])[],
  components: JsonObject,
  depth: number,
): string {
  const required = listAt(shape, 'required')
  const rows = fields.map(([name, field]) => {
    const optional = required.includes(name) ? '' : ' <span class="soft">optional</span>'
    const description = text(asObject(field).description)
    const note = description === '' ? '' : ` <span class="soft">${escapeHtml(description)}</span>`
    return `<li><code>${escapeHtml(name)}</code>${optional} ${schemaHtml(asObject(field), components, depth + 1)}${note}</li>`
  })
  return `<ul class="fields">${rows.join('')}</ul>`
}

/** Has nested fields or alternatives. */
function isBranching(shape: JsonObject): boolean {
  return shape.properties !== undefined || shape.oneOf !== undefined || shape.anyOf !== undefined
}

function resolve(schema: JsonObject, components: JsonObject): JsonObject {
  const reference = text(schema.$ref)
  return reference.startsWith(PREFIX) ? objectAt(components, reference.slice(PREFIX.length)) : schema
}

function kindOf(shape: JsonObject, components: JsonObject): string {
  const choices = [...listAt(shape, 'oneOf'), ...listAt(shape, 'anyOf')].map(asObject)
  if (choices.length > 0) return choices.map((choice) => kindOf(resolve(choice, components), components)).join(' or ')
  if (shape.const !== undefined) return JSON.stringify(shape.const)
  if (isList(shape.enum)) return shape.enum.map((value) => JSON.stringify(value)).join(' | ')
  if (shape.items !== undefined) return `list of ${kindOf(resolve(asObject(shape.items), components), components)}`
  const byDefault = shape.default === undefined ? '' : `, ${JSON.stringify(shape.default)} by default`
  return `${text(shape.type) || 'any JSON'}${bounds(shape)}${byDefault}`
}

function bounds({ minimum, maximum, minLength, maxLength, format }: JsonObject): string {
  const within = (low: Json | undefined, high: Json | undefined, unit: string) =>
    low === undefined && high === undefined ? '' : ` ${formatNumber(low)}…${formatNumber(high)}${unit}`
  // zod adds the bounds of safe integers to every integer.
  const high = maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum
  const low = minimum === Number.MIN_SAFE_INTEGER ? undefined : minimum
  return `${typeof format === 'string' ? ` (${format})` : ''}${within(low, high, '')}${within(minLength, maxLength, ' characters')}`
}

function formatNumber(value: Json | undefined): string {
  return typeof value === 'number' ? value.toLocaleString('en-US') : ''
}

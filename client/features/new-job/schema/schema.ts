/** JSON Schema (draft 2020-12) helpers; unknown keywords are ignored. */

import { isObject } from '../../../../shared/json/is-object.ts'

export type Schema = Readonly<Record<string, unknown>>
export type Path = readonly (string | number)[]

/** `true` and invalid schemas allow everything. */
export function asSchema(value: unknown): Schema {
  return isObject(value) ? value : {}
}

/** Follows references within the document. Broken and circular references allow everything. */
export function resolve(schema: Schema, root: Schema): Schema {
  let found = schema
  for (let hops = 0; typeof found.$ref === 'string'; hops++) {
    if (hops > 20) return {}
    const { $ref, ...beside } = found
    found = { ...asSchema(target(String($ref), root)), ...beside }
  }
  return found
}

function target(ref: string, root: Schema): unknown {
  if (!ref.startsWith('#')) return {}
  const steps = ref.slice(1).split('/').slice(1)
  return steps.reduce<unknown>((node, step) => {
    const name = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
    return isObject(node) || Array.isArray(node) ? Reflect.get(node, name) : undefined
  }, root)
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** Typed access to JSON values; missing values and values of another type read as empty. */

export type Json = string | number | boolean | null | readonly Json[] | JsonObject

export interface JsonObject {
  readonly [key: string]: Json
}

export function objectAt(holder: JsonObject, key: string): JsonObject {
  return asObject(holder[key])
}

export function listAt(holder: JsonObject, key: string): readonly Json[] {
  const value = holder[key]
  return isList(value) ? value : []
}

export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value)
}

export function asObject(value: Json | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !isList(value) ? value : {}
}

export function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}

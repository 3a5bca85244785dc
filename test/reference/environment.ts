/** Environment variables: texts from .env.example, bounds from their schemas. */
import { readFileSync } from 'node:fs'
import type { z } from 'zod'
import { engineSettings } from '../../server/base/config/config.ts'
import { serverSettings } from '../../server/base/config/server-config.ts'
import { boundsOf } from './fields.ts'
import { code, table } from './markdown.ts'
import { ROOT } from './types.ts'

const SCHEMAS = new Map<string, z.ZodType>(Object.entries({ ...engineSettings.shape, ...serverSettings.shape }))

/** A heading, or a variable with its default and the comment above it. */
const LINES = /^# --- (?<heading>.+) ---$|^(?<comment>(?:# .*\n)+?)# (?<name>[A-Z_]+)=(?<value>.*)$/gm

/** Names of variables inside a comment. */
const NAMES = /\b[A-Z]+(?:_[A-Z]+)+\b/g

export interface Variable {
  readonly name: string
  readonly doc: string
}

export function environmentVariables(): readonly Variable[] {
  return sections().flatMap(({ rows }) => rows)
}

export function environmentSection(): string {
  return sections()
    .map(({ heading, rows }) => {
      const lines = rows.map(({ name, value, doc }) => {
        const schema = SCHEMAS.get(name)
        const bounds = schema ? boundsOf(name, schema, 'output').bounds : ''
        return [code(name), code(value), bounds, doc.replace(NAMES, '`$&`')]
      })
      return `### ${heading}\n\n${table(['name', 'default', 'bounds', 'meaning'], lines)}`
    })
    .join('\n\n')
}

interface Row extends Variable {
  readonly value: string
}

function sections(): readonly { readonly heading: string; readonly rows: readonly Row[] }[] {
  const found: { readonly heading: string; readonly rows: Row[] }[] = []
  for (const { groups } of readFileSync(`${ROOT}.env.example`, 'utf8').matchAll(LINES)) {
    const { heading, comment = '', name, value = '' } = groups ?? {}
    if (heading !== undefined) found.push({ heading, rows: [] })
    if (name !== undefined)
      found.at(-1)?.rows.push({ name, value, doc: comment.replace(/^# /gm, '').trim().replaceAll('\n', ' ') })
  }
  return found
}

/** TSDoc coverage: every public name has a description and its default. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { boundsOf, duration, splitDefault } from './fields.ts'
import { FILE, SCHEMAS } from './page.ts'
import { type Exported, entryPoints, withTypes } from './types.ts'

describe('TSDoc', () => {
  const exported = withTypes((exportsOf) =>
    [...entryPoints()].flatMap(([entry, file]) => exportsOf(file).map((one) => ({ ...one, entry }))),
  )

  it('TSDoc describes every export of every entry point', () => {
    expect(exported.length).toBeGreaterThan(150)
    expect(exported.filter((one) => !isSchema(one) && one.doc === '').map(titleOf)).toEqual([])
  })

  it('TSDoc describes every option, method and field of the exports', () => {
    const missing = exported
      .filter((one) => one.kind === 'type' && !EXPLAINED.includes(one.name))
      .flatMap((one) =>
        one.members
          .filter(({ name, doc, isWritten }) => name !== 'name' && (doc === '' || !isWritten))
          .map(({ name }) => `${titleOf(one)}.${name}`),
      )
    expect(missing).toEqual([])
  })

  it('the reference page contains the TSDoc of every option', () => {
    const page = readFileSync(FILE, 'utf8')
    const options = exported.filter(({ name }) => name.endsWith('Options')).flatMap(({ members }) => members)
    expect(options.length).toBeGreaterThan(50)
    expect(options.map(({ name }) => name).filter((name) => !page.includes(`| \`${name}\` |`))).toEqual([])
  })

  it('TSDoc states the default of every field whose schema has one', () => {
    const wrong = Object.entries(SCHEMAS).flatMap(([name, shape]) => {
      const { members = [] } = exported.find((one) => one.name === name) ?? {}
      return members.flatMap((member) => {
        const schema = shape[member.name]
        const byDefault = schema && boundsOf(member.name, schema).byDefault
        const stated = splitDefault(member.doc).stated?.replaceAll(/[`,]/g, '')
        const isStated = stated === String(byDefault) || stated === duration(Number(byDefault))
        return byDefault === undefined || isStated ? [] : [`${name}.${member.name}`]
      })
    })
    expect(wrong).toEqual([])
  })
})

/** Records by status, or structural types of other packages. */
const EXPLAINED = [
  ...[
    'AppRouter',
    'Backoff',
    'BackoffInput',
    'JobOutcome',
    'ListParams',
    'QueueEvent',
    'QueueStats',
    'SettleOutcome',
    'StatusCounts',
    'TaskCounts',
  ],
  ...['FastifyHost', 'HostHandle', 'HostTransaction', 'PostgresTransaction', 'SqliteTransaction'],
]

/** Schemas are exported only as types, for `z.input`. */
function isSchema({ kind, name }: Exported): boolean {
  return kind === 'value' && /^[a-z]\w*(?:Input|Filter|Worker)$/.test(name)
}

function titleOf({ entry, name }: { readonly entry: string; readonly name: string }): string {
  return `${entry} ${name}`
}

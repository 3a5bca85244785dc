/** The `db:*` scripts and the server apply the same migrations. */
import { execFile } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, vi } from 'vitest'
import { add } from '../support/engine.ts'
import type { Place } from '../support/places.ts'
import { describeServer } from '../support/server.ts'
import { tempFolder } from '../support/temp.ts'

vi.setConfig({ testTimeout: 60_000 })

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const KIT = join(ROOT, 'node_modules', '.bin', 'drizzle-kit')

/** drizzle-kit as the scripts call it; this address overrides one in `.env`. */
function kit(args: readonly string[], url: string, folder = ROOT): Promise<{ code: unknown; output: string }> {
  const options = { cwd: folder, env: { PATH: process.env.PATH, DATABASE_URL: url } }
  return new Promise((resolve) => {
    execFile(process.execPath, [KIT, ...args], options, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, output: `${stdout}${stderr}` }),
    )
  })
}

it('the scripts that call drizzle-kit install it first on a fresh clone', () => {
  const { scripts }: { scripts: Record<string, string> } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const names = Object.keys(scripts).filter((name) => scripts[name]?.startsWith('drizzle-kit'))
  expect(names.length).toBeGreaterThan(3)
  expect(names.map((name) => scripts[`pre${name}`])).toEqual(names.map(() => 'node scripts/prepare.mjs'))
})

const SCHEMA = {
  sqlite: `SELECT name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' AND name <> 'millrace_migrations' ORDER BY name`,
  postgres: `SELECT c.relname AS name, c.reloptions::text AS options,
      CASE c.relkind WHEN 'i' THEN pg_get_indexdef(c.oid) END AS index,
      (SELECT string_agg(concat_ws(' ', attname, format_type(atttypid, atttypmod), attnotnull), ', ' ORDER BY attnum)
        FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0) AS columns,
      (SELECT string_agg(pg_get_constraintdef(oid), ', ' ORDER BY conname)
        FROM pg_constraint WHERE conrelid = c.oid) AS rules
    FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relname NOT LIKE 'millrace_migrations%' ORDER BY c.relname COLLATE "C"`,
}

const schemaOf = (place: Place) => place.sql(SCHEMA[place.dialect])
const journalOf = (place: Place) => place.sql('SELECT hash, created_at FROM millrace_migrations ORDER BY created_at')

describeServer('drizzle-kit and the server', (startServer, database) => {
  it('drizzle-kit and the server create the same tables, and the second has nothing to do', async () => {
    const [byKit, byServer] = [await database.create({ spoilt: true }), await database.create({ spoilt: true })]
    expect(await kit(['migrate'], byKit.url())).toMatchObject({ code: 0 })
    const server = await startServer({}, { place: byServer })
    const id = await add(server.engine)
    await server.close()
    const made = await schemaOf(byKit)
    expect(made.length).toBeGreaterThan(20)
    expect(await schemaOf(byServer)).toEqual(made)
    const journal = await journalOf(byKit)
    expect(journal.length).toBeGreaterThan(0)
    expect(await journalOf(byServer)).toEqual(journal)

    expect(await kit(['migrate'], byServer.url())).toMatchObject({ code: 0 })
    const onKits = await startServer({}, { place: byKit })
    expect((await onKits.engine.enqueue({ type: 'mail', payload: 1 })).status).toBe('pending')
    expect([await journalOf(byServer), await journalOf(byKit)]).toEqual([journal, journal])
    const again = await startServer({}, { place: byServer })
    expect(await again.engine.get({ id })).toMatchObject({ status: 'pending' })
  })

  it('the migrations match the schema and do not conflict', async () => {
    const place = await database.create()
    // Generated files must not be written to the repository.
    const folder = await tempFolder()
    for (const name of ['drizzle', 'drizzle.config.ts', 'server', 'shared', 'package.json']) {
      cpSync(join(ROOT, name), join(folder, name), { recursive: true })
    }
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
    const migrations = () => readdirSync(join(folder, 'drizzle', place.dialect, 'migrations'))
    const before = migrations()
    expect(await kit(['check'], place.url(), folder)).toMatchObject({
      code: 0,
      output: expect.stringContaining('fine'),
    })
    const { code, output } = await kit(['generate', '--name', 'drift'], place.url(), folder)
    expect([code, output]).toEqual([0, expect.stringContaining('No schema changes')])
    const unnamed = await kit(['generate'], place.url(), folder)
    expect([unnamed.code, unnamed.output]).toEqual([1, expect.stringContaining('--name add_priority')])
    expect(migrations()).toEqual(before)
  })
})

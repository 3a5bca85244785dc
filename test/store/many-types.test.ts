/** Claims over many types read the types that come first, and of the others only those that changed. */
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import type { KnownType } from '../../server/store/decisions/rules.ts'
import { Candidates as PostgresCandidates } from '../../server/store/postgres/claims/candidates.ts'
import type { Session } from '../../server/store/postgres/connection/session.ts'
import { Candidates } from '../../server/store/sqlite/claims/candidates.ts'
import { Ledger } from '../../server/store/sqlite/commit/ledger.ts'
import { DEFAULTS, effectiveSettings } from '../../shared/settings/settings.ts'
import { tempFolder } from '../support/temp.ts'
import { Rows } from './sqlite/rows.ts'

const TYPES = 1_000
const names = Array.from({ length: TYPES }, (_, n) => `type-${String(n).padStart(4, '0')}`)

it('a second claim on SQLite reads only the types that changed since the first', async () => {
  const file = join(await tempFolder(), 'queue.db')
  const { client: filler } = new Rows(file)
  filler.exec(`INSERT INTO millrace_jobs (id, type, status, run_at, created_at, updated_at)
    SELECT value, value, 'pending', key, key, key FROM json_each('${JSON.stringify(names)}')`)
  filler.exec(`INSERT INTO millrace_job_counts (type, status, n) SELECT type, status, 1 FROM millrace_jobs`)
  const ran: string[] = []
  const client = new Database(file, { verbose: (sql) => ran.push(String(sql)) })
  onTestFinished(() => void client.close())
  const ledger = new Ledger(client)
  ledger.reload()
  const candidates = new Candidates(client, ledger)
  const effective = effectiveSettings({}, {}, {}, DEFAULTS)
  const types = new Map(names.map((name): [KnownType, number] => [{ name, kind: 'job', effective }, 1]))
  const choose = () => {
    ran.length = 0
    candidates.begin(1, () => {})
    const best = candidates.best(new Map(types))
    return { best: best?.name, job: best && candidates.pop(best.name)[0] }
  }
  expect([choose(), ran.length]).toEqual([{ best: names[0], job: 1 }, 2])
  filler.exec(`UPDATE millrace_jobs SET priority = 5 WHERE type = '${names[700]}'`)
  ledger.record({ id: 'x', type: names[700] ?? '', from: null, to: 'pending' })
  expect(choose()).toEqual({ best: names[700], job: 701 })
  expect(ran.map((sql) => names.filter((name) => sql.includes(name)))).toEqual([[names[700]], [names[700]]])
})

it.each([
  ['no type is limited', () => 9, 1 + 16],
  ['the first hundred types have no capacity', (type: string) => (type < 'type-0100' ? 0 : 9), 1 + 128],
])('a claim on PostgreSQL locks the jobs of few types when %s', async (_, limitOf, expected) => {
  const locked: string[] = []
  const session = {
    now: 1_000,
    async rows(name: string, _text: string, [types, limit]: [string[], number]) {
      if (name === 'types-in-claim-order') return types.slice(0, limit).map((type) => ({ type }))
      locked.push(...types)
      return types.map((type, seq) => ({ seq, type, priority: 0, runAt: 0 }))
    },
  } as unknown as Session
  await PostgresCandidates.read(session, { types: { listed: [], unlisted: [names] }, limit: 1, limitOf })
  expect(locked).toEqual(names.slice(0, expected))
})

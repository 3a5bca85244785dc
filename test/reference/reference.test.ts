/** The reference page is up to date and complete. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ENGINE_SETTINGS } from '../../server/base/config/config.ts'
import { SERVER_SETTINGS } from '../../server/base/config/server-config.ts'
import { environmentVariables } from './environment.ts'
import { FILE, referencePage } from './page.ts'

describe('docs/reference.md', () => {
  it('docs/reference.md is up to date (npm run reference writes it)', async () => {
    expect(readFileSync(FILE, 'utf8')).toBe(await referencePage())
  })

  it('docs/reference.md describes every environment variable', () => {
    const variables = environmentVariables()
    expect(variables.map(({ name }) => name).sort()).toEqual(
      [...ENGINE_SETTINGS, ...SERVER_SETTINGS, 'MILLRACE_URL'].sort(),
    )
    expect(variables.filter(({ doc }) => doc === '')).toEqual([])
  })
})

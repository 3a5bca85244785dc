/** Programs that a loader imports with a query in the address of each module, as `tsImport` of tsx does. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const PROGRAM = `import { tsImport } from 'tsx/esm/api'
  const { openEngine } = await tsImport('./server/compose/open-engine.ts', import.meta.url)
  const engine = await openEngine({ url: 'sqlite::memory:' })
  console.log((await engine.counts()).pending)
  await engine.close()`

it('a program that tsImport loads finds its migrations', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', PROGRAM])
  expect(stdout).toBe('0\n')
})

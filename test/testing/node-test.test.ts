/** The test kit under another test runner than ours. */
import { execFile } from 'node:child_process'
import { expect, it } from 'vitest'
import { compiled } from '../support/compiled/compiled.ts'

it('works with the test runner of Node, failures included', async () => {
  const args = ['--test', '--test-reporter=tap', compiled('test/testing/node-test-program')]
  // A runner of tests tells its children so, and ours would be taken for one.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const stdout = await new Promise<string>((resolve) =>
    execFile(process.execPath, args, { env }, (_, out) => resolve(out)),
  )
  expect(stdout).toMatch(/^\s*ok \d+ - a job runs when its hour has come$/m)
  expect(stdout).toMatch(/^\s*not ok \d+ - an expectation that fails$/m)
  expect(stdout).toContain('No job of type mail with a payload like {"to":"bob"} was enqueued.')
  expect(stdout).toContain("code: 'ERR_ASSERTION'")
}, 60_000)

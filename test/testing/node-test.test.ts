/** The test queue under the Node test runner. */
import { execFile } from 'node:child_process'
import { expect, it } from 'vitest'
import { compiled } from '../support/compiled/compiled.ts'

it('the test queue works with the Node test runner, failures included', async () => {
  const args = ['--test', '--test-reporter=tap', compiled('test/testing/node-test-program')]
  // Vitest marks its child processes; without this the Node test runner would act as a child.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const stdout = await new Promise<string>((resolve) =>
    execFile(process.execPath, args, { env }, (_, out) => resolve(out)),
  )
  expect(stdout).toMatch(/^\s*ok \d+ - a delayed job runs when it is due$/m)
  expect(stdout).toMatch(/^\s*not ok \d+ - an expectation that fails$/m)
  expect(stdout).toContain('No job of type mail with a payload like {"to":"bob"} was enqueued.')
  expect(stdout).toContain("code: 'ERR_ASSERTION'")
}, 60_000)

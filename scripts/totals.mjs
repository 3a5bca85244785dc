// Prints the totals of a Vitest JSON report as `N passed, M failed`. A test file that could not be loaded counts as one
// failure. If a check outside the tests failed, no totals are printed: a line with `0 failed` always means success.
import { readFileSync } from 'node:fs'

const [reportFile, exitCode] = process.argv.slice(2)
const text = readFileSync(reportFile, 'utf8')
const report = text === '' ? undefined : JSON.parse(text)

if (!report) {
  console.error(`The checks before the tests failed (exit code ${exitCode}); no test ran.`)
} else {
  const broken = report.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  )
  const failed = report.numFailedTests + broken.length
  if (failed === 0 && exitCode !== '0') {
    console.error(`${report.numPassedTests} tests passed, but the run failed outside of them (exit code ${exitCode}).`)
  } else {
    const skipped = report.numPendingTests + report.numTodoTests
    if (skipped > 0) console.log(`${skipped} skipped`)
    console.log(`${report.numPassedTests} passed, ${failed} failed`)
  }
}

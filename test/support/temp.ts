/** Temporary folders that are removed at the end of the test. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

export interface TempFolder {
  readonly path: string
  remove(): Promise<void>
}

/** For callers that clean up themselves. */
export async function makeTempFolder(): Promise<TempFolder> {
  const path = await mkdtemp(join(tmpdir(), 'millrace-test-'))
  return { path, remove: () => rm(path, { recursive: true, force: true }) }
}

/** A folder for the running test, removed at its end. */
export async function tempFolder(): Promise<string> {
  const folder = await makeTempFolder()
  onTestFinished(() => folder.remove())
  return folder.path
}

/** Where the built page lies: beside the compiled server. From sources it comes from Vite's own server. */
import { dirname } from 'node:path'
import { isSource, ownFile } from '../../base/own-files.ts'

/** Null from sources. */
export function pageFolder(): string | null {
  return isSource() ? null : dirname(ownFile('client/index.html', 'the files of the dashboard'))
}

/** Folder of the built dashboard, beside the compiled server. */
import { dirname } from 'node:path'
import { isSource, ownFile } from '../../base/own-files.ts'

/** null when run from sources: Vite's development server provides the page. */
export function pageFolder(): string | null {
  return isSource() ? null : dirname(ownFile('client/index.html', 'the files of the dashboard'))
}

/** Writes docs/reference.md: `npm run reference`. */
import { writeFileSync } from 'node:fs'
import { FILE, referencePage } from './page.ts'

writeFileSync(FILE, await referencePage())

/** Writes openapi.yaml: `npm run openapi`. */
import { writeFileSync } from 'node:fs'
import { FILE, openapiYaml } from './yaml.ts'

writeFileSync(FILE, openapiYaml())

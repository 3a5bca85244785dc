/** The text of openapi.yaml. */
import { fileURLToPath } from 'node:url'
import { stringify } from 'yaml'
import { describeServer } from '../../server/http/openapi/document.ts'

export const FILE = fileURLToPath(new URL('../../openapi.yaml', import.meta.url))

export function openapiYaml(): string {
  return `# Made by \`npm run openapi\` from the schemas that check requests; do not edit.\n${stringify(describeServer(), { lineWidth: 120, aliasDuplicateObjects: false })}`
}

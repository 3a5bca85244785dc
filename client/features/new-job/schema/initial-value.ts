/** Initial form value of a schema: defaults and required members. */
import { fieldOf } from './field.ts'
import type { Schema } from './schema.ts'

export function initialValue(unresolved: Schema, root: Schema, isRequired = true, depth = 0): unknown {
  const field = fieldOf(unresolved, root, depth)
  const { schema } = field
  if (schema.default !== undefined) return schema.default
  if (!isRequired) return undefined
  switch (field.kind) {
    case 'object': {
      const members = field.members.map(({ name, schema: member, isRequired: isMemberRequired }) => {
        return [name, initialValue(member, root, isMemberRequired, depth + 1)] as const
      })
      return Object.fromEntries(members.filter(([, value]) => value !== undefined))
    }
    case 'list':
      return []
    case 'boolean':
      return false
    case 'text':
      return ''
    case 'choice':
      return field.options.length === 1 ? field.options[0] : undefined
    case 'json':
      return schema.type === 'object' ? {} : schema.type === 'array' ? [] : undefined
    case 'number':
      return undefined
  }
}

/** Renders the form field that matches a schema. */

import { isObject } from '../../../../shared/json/is-object.ts'
import { fieldOf } from '../schema/field.ts'
import type { Schema } from '../schema/schema.ts'
import { BooleanField } from './BooleanField.tsx'
import { ChoiceField } from './ChoiceField.tsx'
import { type FieldProps, useForm } from './form-context.ts'
import { JsonField } from './JsonField.tsx'
import { ListField } from './ListField.tsx'
import { NumberField } from './NumberField.tsx'
import { ObjectField } from './ObjectField.tsx'
import { TextField } from './TextField.tsx'

export function SchemaField({ schema, ...props }: FieldProps & { schema: Schema }) {
  const { root } = useForm()
  const { value, depth } = props
  const field = fieldOf(schema, root, depth)
  const { description } = field.schema
  const rest = { ...props, schema: field.schema, hint: typeof description === 'string' ? description : undefined }
  // A value that the field cannot show, for example of a clone, is edited as JSON.
  switch (field.kind) {
    case 'text':
      return canShow(value, typeof value === 'string') ? <TextField {...rest} /> : <JsonField {...rest} />
    case 'number':
      return canShow(value, typeof value === 'number' || typeof value === 'string') ? (
        <NumberField {...rest} />
      ) : (
        <JsonField {...rest} />
      )
    case 'boolean':
      return canShow(value, typeof value === 'boolean') ? <BooleanField {...rest} /> : <JsonField {...rest} />
    case 'choice':
      return <ChoiceField {...rest} options={field.options} />
    case 'object':
      return canShow(value, isObject(value)) ? (
        <ObjectField {...rest} members={field.members} />
      ) : (
        <JsonField {...rest} />
      )
    case 'list':
      return canShow(value, Array.isArray(value)) ? (
        <ListField {...rest} items={field.items} />
      ) : (
        <JsonField {...rest} />
      )
    case 'json':
      return <JsonField {...rest} />
  }
}

function canShow(value: unknown, fits: boolean): boolean {
  return value === undefined || fits
}

/** String field: one line, or a text area for long strings. */
import { describedBy, Field, INPUT } from '../../../ui/form/Field.tsx'
import { numberOf } from '../schema/schema.ts'
import { exampleOf } from '../schema/validate-scalars.ts'
import { type DrawnProps, idOf, useForm } from './form-context.ts'

const LONG = 200

export function TextField({ path, label, isRequired, value, schema, hint, onChange }: DrawnProps) {
  const { problemAt, onVisit } = useForm()
  const id = idOf(path)
  const problem = problemAt(path)
  const text = typeof value === 'string' ? value : ''
  const props = {
    ...describedBy({ id, hint, problem }),
    value: text,
    placeholder: exampleOf(schema) ?? '',
    onBlur: () => onVisit(path),
    // An empty optional string is omitted.
    onChange: (event: { readonly target: { readonly value: string } }) =>
      onChange(event.target.value === '' && !isRequired ? undefined : event.target.value),
  }
  const isLong = (numberOf(schema.maxLength) ?? 0) > LONG || text.length > LONG || text.includes('\n')
  return (
    <Field id={id} label={label} isOptional={!isRequired} hint={hint} problem={problem}>
      {isLong ? (
        <textarea {...props} rows={4} className={INPUT} />
      ) : (
        <input {...props} type="text" className={INPUT} spellCheck={false} autoComplete="off" />
      )}
    </Field>
  )
}

/** A text: one line, or several where it may be long. */
import { INPUT, Labelled, notes } from '../Labelled.tsx'
import { hintOf } from '../schema/check-scalars.ts'
import { numberOf } from '../schema/schema.ts'
import { type DrawnProps, idOf, useForm } from './form-context.ts'

const LONG = 200

export function TextField({ path, label, isRequired, value, schema, hint, onChange }: DrawnProps) {
  const { problemAt, onVisit } = useForm()
  const id = idOf(path)
  const problem = problemAt(path)
  const text = typeof value === 'string' ? value : ''
  const props = {
    ...notes({ id, hint, problem }),
    value: text,
    placeholder: hintOf(schema) ?? '',
    onBlur: () => onVisit(path),
    // Left empty, an optional text is left out.
    onChange: (event: { readonly target: { readonly value: string } }) =>
      onChange(event.target.value === '' && !isRequired ? undefined : event.target.value),
  }
  const isLong = (numberOf(schema.maxLength) ?? 0) > LONG || text.length > LONG || text.includes('\n')
  return (
    <Labelled id={id} label={label} isOptional={!isRequired} hint={hint} problem={problem}>
      {isLong ? (
        <textarea {...props} rows={4} className={INPUT} />
      ) : (
        <input {...props} type="text" className={INPUT} spellCheck={false} autoComplete="off" />
      )}
    </Labelled>
  )
}

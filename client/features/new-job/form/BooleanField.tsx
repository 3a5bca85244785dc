/** Checkbox; an optional value that is not set is shown as a select. */
import { describedBy, FieldNotes } from '../../../ui/form/Field.tsx'
import { ChoiceField } from './ChoiceField.tsx'
import { type DrawnProps, idOf, useForm } from './form-context.ts'

export function BooleanField(props: DrawnProps) {
  const { path, label, isRequired, value, hint, onChange } = props
  const { problemAt } = useForm()
  if (!isRequired && value === undefined) return <ChoiceField {...props} options={[true, false]} />
  const id = idOf(path)
  const problem = problemAt(path)
  return (
    <div className="grid content-start gap-1 self-end pb-1">
      <label htmlFor={id} className="flex min-h-6 items-center gap-2 font-medium">
        <input
          {...describedBy({ id, hint, problem })}
          type="checkbox"
          checked={value === true}
          onChange={(event) => onChange(event.target.checked)}
          className="size-4 accent-(--focus)"
        />
        {label}
      </label>
      <FieldNotes id={id} hint={hint} problem={problem} />
    </div>
  )
}

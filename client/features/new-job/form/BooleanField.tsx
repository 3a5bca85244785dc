/** Yes or no; an optional one may also be left out. */
import { Notes, notes } from '../Labelled.tsx'
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
          {...notes({ id, hint, problem })}
          type="checkbox"
          checked={value === true}
          onChange={(event) => onChange(event.target.checked)}
          className="size-4 accent-(--focus)"
        />
        {label}
      </label>
      <Notes id={id} hint={hint} problem={problem} />
    </div>
  )
}

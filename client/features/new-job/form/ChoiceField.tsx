/** Select for one of several values. */
import { describedBy, Field, SELECT } from '../../../ui/form/Field.tsx'
import { type DrawnProps, idOf, useForm } from './form-context.ts'

export function ChoiceField({
  path,
  label,
  isRequired,
  value,
  hint,
  options,
  onChange,
}: DrawnProps & { options: readonly unknown[] }) {
  const { problemAt, onVisit } = useForm()
  const id = idOf(path)
  const problem = problemAt(path)
  const written = options.map((option) => JSON.stringify(option))
  const at = written.indexOf(JSON.stringify(value))
  return (
    <Field id={id} label={label} isOptional={!isRequired} hint={hint} problem={problem}>
      <select
        {...describedBy({ id, hint, problem })}
        value={value === undefined || at < 0 ? '' : String(at)}
        onBlur={() => onVisit(path)}
        onChange={(event) => onChange(event.target.value === '' ? undefined : options[Number(event.target.value)])}
        className={SELECT}
      >
        <option value="">{isRequired ? 'Select…' : 'not set'}</option>
        {options.map((option, index) => (
          <option key={written[index]} value={index}>
            {typeof option === 'string' ? option : written[index]}
          </option>
        ))}
      </select>
    </Field>
  )
}

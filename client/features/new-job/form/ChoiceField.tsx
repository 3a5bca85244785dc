/** One of a few values. */
import { INPUT, Labelled, notes } from '../Labelled.tsx'
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
    <Labelled id={id} label={label} isOptional={!isRequired} hint={hint} problem={problem}>
      <select
        {...notes({ id, hint, problem })}
        value={value === undefined || at < 0 ? '' : String(at)}
        onBlur={() => onVisit(path)}
        onChange={(event) => onChange(event.target.value === '' ? undefined : options[Number(event.target.value)])}
        className={`${INPUT} h-8 py-0`}
      >
        <option value="">{isRequired ? 'choose…' : 'left out'}</option>
        {options.map((option, place) => (
          <option key={written[place]} value={place}>
            {typeof option === 'string' ? option : written[place]}
          </option>
        ))}
      </select>
    </Labelled>
  )
}

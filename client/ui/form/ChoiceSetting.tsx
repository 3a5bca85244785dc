/** Select for a setting with a few values; the first option is the inherited one. */
import { useId } from 'react'
import { describedBy, Field, SELECT } from './Field.tsx'
import type { SettingFieldProps } from './SettingField.tsx'

export interface ChoiceSettingProps<Settings> extends SettingFieldProps<Settings> {
  readonly choices: readonly (readonly [text: string, label: string])[]
}

export function ChoiceSetting<Settings>(props: ChoiceSettingProps<Settings>) {
  const { field, text, onText, inherited, problem = null, conflict, choices } = props
  const id = useId()
  const notes = { id, hint: text === '' ? field.help : inherited, problem, notice: conflict }
  return (
    <Field label={field.label} isTall isAnnounced {...notes}>
      <select {...describedBy(notes)} value={text} onChange={({ target }) => onText(target.value)} className={SELECT}>
        <option value="">{inherited}</option>
        {choices.map(([choice, label]) => (
          <option key={choice} value={choice}>
            {label}
          </option>
        ))}
      </select>
    </Field>
  )
}

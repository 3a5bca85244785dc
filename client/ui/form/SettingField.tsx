/** Input for one setting, with the inherited value and buttons to clear it or remove the limit. */
import { Button } from '../Button.tsx'
import { ChoiceSetting } from './ChoiceSetting.tsx'
import { type Field, NO_LIMIT } from './fields.ts'
import { TextField } from './TextField.tsx'

export interface SettingFieldProps<Settings> {
  readonly field: Field<Settings>
  readonly text: string
  readonly onText: (text: string) => void
  /** Text for the value that applies when unset: `declared: 5`. */
  readonly inherited: string
  readonly problem: string | undefined
  /** Notice that someone else changed the value during editing. */
  readonly conflict: string | undefined
}

export function SettingField<Settings>(props: SettingFieldProps<Settings>) {
  const { field, text, onText, inherited, problem, conflict } = props
  const { label, unit, help, isNullable } = field
  const isUnlimited = text === NO_LIMIT
  const isSet = text !== ''
  if (field.kind === 'text' && field.choices) return <ChoiceSetting {...props} choices={field.choices} />
  return (
    <TextField
      label={unit === undefined ? label : `${label} (${unit})`}
      value={text}
      onText={onText}
      placeholder={inherited}
      problem={problem}
      notice={conflict}
      inputMode={field.kind === 'number' ? 'decimal' : 'text'}
      help={[isSet ? inherited : null, help].filter(Boolean).join(' · ') || undefined}
      beside={
        <span className="flex">
          {isNullable && !isUnlimited && (
            <Button isSmall weight="quiet" onClick={() => onText(NO_LIMIT)} aria-label={`No limit: ${label}`}>
              No limit
            </Button>
          )}
          {isSet && (
            <Button isSmall weight="quiet" onClick={() => onText('')} aria-label={`Clear: ${label}`}>
              Clear
            </Button>
          )}
        </span>
      }
    />
  )
}

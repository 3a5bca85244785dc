/** One setting: what holds without it is shown in its place and beside it, and what is set here can be cleared. */
import { Button } from '../../../ui/Button.tsx'
import { type Field, NO_LIMIT } from './fields.ts'
import { TextField } from './TextField.tsx'

export interface SettingFieldProps<Settings> {
  readonly field: Field<Settings>
  readonly text: string
  readonly onText: (text: string) => void
  /** What holds when nothing is set here, in words: `declared: 5`. */
  readonly inherited: string
  readonly problem: string | undefined
  /** What somebody else made of it while it was edited here. */
  readonly meanwhile: string | undefined
}

export function SettingField<Settings>(props: SettingFieldProps<Settings>) {
  const { field, text, onText, inherited, problem, meanwhile } = props
  const { label, unit, help, isNullable } = field
  const isLimitless = text === NO_LIMIT
  const isSet = text !== ''
  return (
    <TextField
      label={unit === undefined ? label : `${label} (${unit})`}
      value={text}
      onText={onText}
      placeholder={inherited}
      problem={problem}
      notice={meanwhile}
      inputMode={field.kind === 'number' ? 'decimal' : 'text'}
      help={[isSet ? inherited : null, help].filter(Boolean).join(' · ') || undefined}
      beside={
        <span className="flex">
          {isNullable && !isLimitless && (
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

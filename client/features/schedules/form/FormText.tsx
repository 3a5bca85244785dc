/** One text field of the schedule form, with the declared value where it differs. */
import { effectiveSchedule } from '../../../../shared/schedules/settings.ts'
import { Button } from '../../../ui/Button.tsx'
import { TextField } from '../../../ui/form/TextField.tsx'
import type { FormField } from './form-fields.ts'
import type { PartProps } from './RuleFields.tsx'

export function FormText({ field, draft, declared, problemOf, onChange }: PartProps & { field: FormField }) {
  const { key, label, help, placeholder, type, read } = field
  const text = draft.texts[key] ?? ''
  const below = declared && read(effectiveSchedule(declared, {}))
  const isOverride = below !== null && below !== text.trim()
  const set = (value: string) => onChange({ texts: { ...draft.texts, [key]: value } })
  return (
    <TextField
      label={label}
      value={text}
      onText={set}
      type={type ?? 'text'}
      {...(placeholder !== undefined && { placeholder })}
      help={isOverride ? `overrides the declared ${below === '' ? 'value: none' : below}` : help}
      problem={problemOf(key)}
      beside={
        isOverride && (
          <Button isSmall weight="quiet" onClick={() => set(below)} aria-label={`Reset ${label}`}>
            Reset
          </Button>
        )
      }
    />
  )
}

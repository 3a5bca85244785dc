/** Fieldset for the fields of an object or array. */
import type { ReactNode } from 'react'
import { Button } from '../../../ui/Button.tsx'
import { FieldNotes } from '../../../ui/form/Field.tsx'
import type { Path } from '../schema/schema.ts'
import { idOf, useForm } from './form-context.ts'

export interface GroupProps {
  readonly path: Path
  readonly label: string
  readonly isOptional: boolean
  readonly hint: string | undefined
  readonly onRemove?: () => void
  readonly children: ReactNode
}

export function Group({ path, label, isOptional, hint, onRemove, children }: GroupProps) {
  const { problemAt } = useForm()
  return (
    <fieldset className="grid min-w-0 gap-2 border-line border-l-2 pl-4">
      <legend className="float-left mb-1 flex w-full items-baseline gap-2 font-medium">
        <span className="wrap-anywhere">{label}</span>
        {isOptional && <span className="font-normal text-faint text-xs">optional</span>}
        {onRemove && (
          <Button isSmall weight="quiet" className="ml-auto" aria-label={`Remove ${label}`} onClick={onRemove}>
            Remove
          </Button>
        )}
      </legend>
      <FieldNotes id={idOf(path)} hint={hint} problem={problemAt(path)} />
      {children}
    </fieldset>
  )
}

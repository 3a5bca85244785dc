/** Fields that belong together, under one name. */
import type { ReactNode } from 'react'
import { Button } from '../../../ui/Button.tsx'
import { Notes } from '../Labelled.tsx'
import type { Path } from '../schema/schema.ts'
import { idOf, useForm } from './form-context.ts'

export interface GroupProps {
  readonly path: Path
  readonly label: string
  readonly isOptional: boolean
  readonly hint: string | undefined
  readonly onLeaveOut?: () => void
  readonly children: ReactNode
}

export function Group({ path, label, isOptional, hint, onLeaveOut, children }: GroupProps) {
  const { problemAt } = useForm()
  return (
    <fieldset className="grid min-w-0 gap-2 border-line border-l-2 pl-4">
      <legend className="float-left mb-1 flex w-full items-baseline gap-2 font-medium">
        <span className="wrap-anywhere">{label}</span>
        {isOptional && <span className="font-normal text-faint text-xs">optional</span>}
        {onLeaveOut && (
          <Button isSmall weight="quiet" className="ml-auto" aria-label={`Leave out ${label}`} onClick={onLeaveOut}>
            Leave out
          </Button>
        )}
      </legend>
      <Notes id={idOf(path)} hint={hint} problem={problemAt(path)} />
      {children}
    </fieldset>
  )
}

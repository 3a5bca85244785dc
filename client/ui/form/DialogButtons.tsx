/** Buttons of a dialog with a form; unsaved changes are confirmed in their place. */
import { useEffect, useRef } from 'react'
import { Button } from '../Button.tsx'

export interface DialogButtonsProps {
  readonly isDirty: boolean
  readonly isSaving: boolean
  /** The dialog was asked to close with unsaved changes. */
  readonly isClosing: boolean
  readonly onCancel: () => void
  readonly onStay: () => void
  readonly onLeave: () => void
}

export function DialogButtons({ isDirty, isSaving, isClosing, onCancel, onStay, onLeave }: DialogButtonsProps) {
  if (isClosing) return <UnsavedPrompt onStay={onStay} onLeave={onLeave} />
  return (
    <div className="flex justify-end gap-2">
      <Button onClick={onCancel}>Cancel</Button>
      <Button type="submit" weight="strong" needs="admin" disabled={!isDirty || isSaving}>
        {isSaving ? 'Saving…' : 'Save'}
      </Button>
    </div>
  )
}

/** Replaces the buttons: a second dialog would hide the form. */
function UnsavedPrompt({ onStay, onLeave }: Pick<DialogButtonsProps, 'onStay' | 'onLeave'>) {
  const stay = useRef<HTMLButtonElement>(null)
  useEffect(() => stay.current?.focus(), [])
  return (
    <div role="alert" className="flex flex-wrap items-center justify-end gap-2">
      <p className="mr-auto">You have unsaved changes.</p>
      <Button ref={stay} onClick={onStay}>
        Keep editing
      </Button>
      <Button weight="danger" onClick={onLeave}>
        Discard changes
      </Button>
    </div>
  )
}

/** Form footer: server error, discard and save. */
import { Button } from '../Button.tsx'

export interface SaveBarProps {
  readonly message: string | null
  readonly isDirty: boolean
  readonly isSaving: boolean
  readonly onReset: () => void
}

export function SaveBar({ message, isDirty, isSaving, onReset }: SaveBarProps) {
  return (
    <div className="flex flex-wrap items-center justify-end gap-2">
      {message !== null && (
        <p role="alert" data-tone="failed" className="mr-auto text-tone-ink wrap-anywhere">
          {message}
        </p>
      )}
      {message === null && isDirty && (
        <p className="mr-auto text-muted">Unsaved changes, kept while this tab is open.</p>
      )}
      <Button weight="quiet" disabled={!isDirty || isSaving} onClick={onReset}>
        Discard changes
      </Button>
      <Button type="submit" weight="strong" needs="admin" disabled={!isDirty || isSaving}>
        {isSaving ? 'Saving…' : 'Save'}
      </Button>
    </div>
  )
}

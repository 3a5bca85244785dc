/** Dialog that pauses a schedule, with a note for others. */
import { type FormEvent, useState } from 'react'
import { scheduleLimits } from '../../../shared/schedules/limits.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { TextField } from '../../ui/form/TextField.tsx'
import { useScheduleActions } from './use-schedule-actions.ts'

export function PauseDialog({ name, onClose }: { name: string; onClose: () => void }) {
  const { pause, isBusy } = useScheduleActions()
  const [note, setNote] = useState('')

  function submit(event: FormEvent) {
    event.preventDefault()
    pause(name, note.trim(), onClose)
  }

  return (
    <Dialog
      title={`Pause ${name}`}
      description="No jobs are enqueued until it is resumed. Ticks during the pause are not caught up. It can still be run by hand."
      isOpen
      onClose={onClose}
    >
      <form onSubmit={submit} className="grid gap-4">
        <TextField
          label="Note"
          value={note}
          onText={setNote}
          maxLength={scheduleLimits.noteLength}
          placeholder="database migration until 14:00"
          help="shown beside the schedule, with your name"
        />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" weight="strong" needs="admin" disabled={isBusy}>
            Pause
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

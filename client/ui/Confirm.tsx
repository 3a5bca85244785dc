/** Asks before something that cannot be taken back. */
import { Button, type Weight } from './Button.tsx'
import { Dialog } from './Dialog.tsx'

export interface ConfirmProps {
  readonly title: string
  readonly description: string
  /** The word on the button that does it. */
  readonly act: string
  readonly weight?: Weight
  readonly isOpen: boolean
  readonly onConfirm: () => void
  readonly onClose: () => void
}

export function Confirm({ title, description, act, weight = 'danger', isOpen, onConfirm, onClose }: ConfirmProps) {
  return (
    <Dialog title={title} description={description} isOpen={isOpen} onClose={onClose}>
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Keep it</Button>
        <Button
          weight={weight}
          onClick={() => {
            onConfirm()
            onClose()
          }}
        >
          {act}
        </Button>
      </div>
    </Dialog>
  )
}

/** Confirmation dialog for actions that cannot be undone. */
import { Button, type Weight } from './Button.tsx'
import { Dialog } from './Dialog.tsx'

export interface ConfirmProps {
  readonly title: string
  readonly description: string
  /** Label of the button that confirms. */
  readonly action: string
  readonly weight?: Weight
  readonly isOpen: boolean
  readonly onConfirm: () => void
  readonly onClose: () => void
}

export function Confirm({ title, description, action, weight = 'danger', isOpen, onConfirm, onClose }: ConfirmProps) {
  return (
    <Dialog title={title} description={description} isOpen={isOpen} onClose={onClose}>
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button
          weight={weight}
          onClick={() => {
            onConfirm()
            onClose()
          }}
        >
          {action}
        </Button>
      </div>
    </Dialog>
  )
}

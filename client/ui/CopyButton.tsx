/** Small button that copies a text. */
import { Button } from './Button.tsx'
import { useCopied } from './use-copied.ts'

export interface CopyButtonProps {
  /** Names the copied text for screen readers. */
  readonly what: string
  /** Called on click, because the text may be long. */
  readonly text: () => string
}

export function CopyButton({ what, text }: CopyButtonProps) {
  const { feedback, copy } = useCopied()
  return (
    <Button isSmall weight="quiet" aria-label={`Copy ${what}`} onClick={() => void copy(text())}>
      <span aria-live="polite">{feedback || 'Copy'}</span>
    </Button>
  )
}

/** A small button that copies something. */
import { Button } from './Button.tsx'
import { useCopied } from './use-copied.ts'

export interface CopyButtonProps {
  /** What is copied, for those who do not see where the button stands. */
  readonly what: string
  /** Made when it is asked for: it may be long. */
  readonly text: () => string
}

export function CopyButton({ what, text }: CopyButtonProps) {
  const { said, copy } = useCopied()
  return (
    <Button isSmall weight="quiet" aria-label={`Copy ${what}`} onClick={() => void copy(text())}>
      <span aria-live="polite">{said || 'Copy'}</span>
    </Button>
  )
}

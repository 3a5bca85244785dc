/** Copy to the clipboard with a short confirmation text. */
import { useEffect, useRef, useState } from 'react'
import { copyText } from '../lib/browser/copy.ts'

const FEEDBACK_MS = 1_500

/** `onBlocked` runs when the browser blocks the clipboard and returns the text to show instead. */
export function useCopied(onBlocked: () => string = () => 'No clipboard') {
  const [feedback, setFeedback] = useState('')
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  return {
    /** '' unless something was copied just now. */
    feedback,
    async copy(text: string): Promise<void> {
      setFeedback((await copyText(text)) ? 'Copied' : onBlocked())
      clearTimeout(timer.current)
      timer.current = setTimeout(() => setFeedback(''), FEEDBACK_MS)
    },
  }
}

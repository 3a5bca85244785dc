/** Copies on request and says so for a moment. */
import { useEffect, useRef, useState } from 'react'
import { copyText } from '../lib/copy.ts'

const FEEDBACK_MS = 1_500

export function useCopied(): { readonly said: string; copy(text: string): Promise<void> } {
  const [said, setSaid] = useState('')
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  return {
    said,
    async copy(text) {
      setSaid((await copyText(text)) ? 'Copied' : 'No clipboard')
      clearTimeout(timer.current)
      timer.current = setTimeout(() => setSaid(''), FEEDBACK_MS)
    },
  }
}

/** Draft of a new job: its type is in the URL, the rest in `sessionStorage`. */
import { useEffect, useState } from 'react'
import { useSearchParams } from 'wouter'
import { useUnsaved } from '../../../ui/form/kept-edits.ts'
import type { Draft } from './draft.ts'
import { loadDraft, removeDraft, storeDraft } from './stored-draft.ts'

export interface Origin {
  readonly id: string
  readonly type: string
  readonly dedupeKey: string | null
}

export function useDraft(initial: Draft, origin: Origin | undefined) {
  const [params, setParams] = useSearchParams()
  const urlType = params.get('type')
  const [restored] = useState(() => {
    const stored = loadDraft(origin?.id, initial)
    // A link to another type takes precedence over the stored draft.
    return stored && (urlType === null || urlType === stored.type) ? stored : null
  })
  const [draft, setDraft] = useState(restored?.draft ?? initial)
  const [isDirty, setIsDirty] = useState(restored !== null)
  const [isStored, setIsStored] = useState(restored !== null)
  /** Number of resets. */
  const [round, setRound] = useState(0)
  const initialType = origin?.type ?? ''
  // The nav link to this page has no type in its URL.
  const [chosen, setChosen] = useState(restored?.type ?? initialType)
  if (urlType !== null && urlType !== chosen) setChosen(urlType)
  const type = urlType ?? chosen

  useEffect(() => {
    if (isDirty) setIsStored(storeDraft(origin?.id, { type, draft }))
  }, [isDirty, type, draft, origin?.id])

  // Storage is blocked or full.
  useUnsaved(isDirty && !isStored)

  function setUrlType(name: string | null): void {
    const rest = [...params].filter(([key]) => key !== 'type')
    setParams(new URLSearchParams(name === null ? rest : [...rest, ['type', name]]), { replace: true })
  }

  function discard(): void {
    setIsDirty(false)
    setIsStored(false)
    removeDraft(origin?.id)
  }

  return {
    type,
    draft,
    round,
    isDirty,
    isStored,
    setType(name: string) {
      setUrlType(name)
      setIsDirty(true)
    },
    change(part: Partial<Draft>) {
      setDraft((now) => ({ ...now, ...part }))
      setIsDirty(true)
    },
    /** Removes the stored draft; the form keeps its input for another job. */
    markEnqueued: discard,
    reset() {
      discard()
      setDraft(initial)
      setChosen(initialType)
      setRound((before) => before + 1)
      setUrlType(null)
    },
  }
}

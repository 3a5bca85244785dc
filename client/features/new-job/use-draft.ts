/** The job that is being written: its type in the address, the rest kept in this tab. */
import { useEffect, useState } from 'react'
import { useSearchParams } from 'wouter'
import { useUnsaved } from '../settings/form/kept-edits.ts'
import type { Draft } from './draft.ts'
import { forgetDraft, keepDraft, keptDraft } from './kept-draft.ts'

export interface Origin {
  readonly id: string
  readonly type: string
  readonly dedupeKey: string | null
}

export function useDraft(first: Draft, origin: Origin | undefined) {
  const [params, setParams] = useSearchParams()
  const asked = params.get('type')
  const [begun] = useState(() => {
    const kept = keptDraft(origin?.id, first)
    // Who comes by a link to another type wants that.
    return kept && (asked === null || asked === kept.type) ? kept : null
  })
  const [draft, setDraft] = useState(begun?.draft ?? first)
  const [isBegun, setIsBegun] = useState(begun !== null)
  const [isKept, setIsKept] = useState(begun !== null)
  /** Counts how often it was started over. */
  const [round, setRound] = useState(0)
  const firstType = origin?.type ?? ''
  // The way to this page from itself leads to an address without a type.
  const [chosen, setChosen] = useState(begun?.type ?? firstType)
  if (asked !== null && asked !== chosen) setChosen(asked)
  const type = asked ?? chosen

  useEffect(() => {
    if (isBegun) setIsKept(keepDraft(origin?.id, { type, draft }))
  }, [isBegun, type, draft, origin?.id])

  // A browser that stores nothing, or not so much.
  useUnsaved(isBegun && !isKept)

  function choose(name: string | null): void {
    const rest = [...params].filter(([key]) => key !== 'type')
    setParams(new URLSearchParams(name === null ? rest : [...rest, ['type', name]]), { replace: true })
  }

  function forget(): void {
    setIsBegun(false)
    setIsKept(false)
    forgetDraft(origin?.id)
  }

  return {
    type,
    draft,
    round,
    isBegun,
    isKept,
    choose(name: string) {
      choose(name)
      setIsBegun(true)
    },
    change(part: Partial<Draft>) {
      setDraft((now) => ({ ...now, ...part }))
      setIsBegun(true)
    },
    /** What is enqueued is no draft any more; the form keeps it, for another. */
    done: forget,
    startOver() {
      forget()
      setDraft(first)
      setChosen(firstType)
      setRound((before) => before + 1)
      choose(null)
    },
  }
}

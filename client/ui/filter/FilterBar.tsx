/** Filter field with completions; Enter applies the filter. */
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { takeFilterFocusRequest } from '../../lib/filter/focus-request.ts'
import { type Suggestion, suggest, termAt } from '../../lib/filter/suggest.ts'
import { Icon } from '../Icon.tsx'
import { PROBLEMS_ID } from './Problems.tsx'
import { Suggestions } from './Suggestions.tsx'
import { useKnown } from './use-known.ts'

export interface FilterBarProps {
  /** The applied filter. */
  readonly text: string
  readonly hasProblems: boolean
  readonly onApply: (text: string) => void
}

export function FilterBar({ text, hasProblems, onApply }: FilterBarProps) {
  const [draft, setDraft] = useState(text)
  const [caret, setCaret] = useState<number | null>(null)
  const [active, setActive] = useState(-1)
  const [isOpen, setIsOpen] = useState(false)
  const listId = useId()
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (takeFilterFocusRequest()) input.current?.focus()
  }, [])
  // Keeps a trailing space, which starts the next term.
  useEffect(() => setDraft((before) => (before.trim() === text ? before : text)), [text])

  const hasFocus = caret !== null
  const known = useKnown(draft, caret)
  const offers = isOpen && hasFocus ? suggest(draft, caret, known) : []
  const chosen = offers[active]
  // As in a shell, Tab completes a started term. Otherwise it moves the focus.
  const completed = chosen ?? (hasFocus && termAt(draft, caret) ? offers[0] : undefined)

  function choose(offer: Suggestion, field: HTMLInputElement | null) {
    setDraft(offer.text)
    setCaret(offer.caret)
    setActive(-1)
    // In the next frame: the caret can only be set inside text that is already rendered.
    requestAnimationFrame(() => field?.setSelectionRange(offer.caret, offer.caret))
    if (offer.isWhole) onApply(offer.text.trim())
  }

  function onKeyDown(event: KeyboardEvent<HTMLInputElement>) {
    const { key, currentTarget } = event
    if ((key === 'ArrowDown' || key === 'ArrowUp') && offers.length > 0) {
      event.preventDefault()
      const step = key === 'ArrowDown' ? 1 : -1
      setActive((active + step + offers.length + (active < 0 && step < 0 ? 1 : 0)) % offers.length)
    } else if (key === 'Enter' && chosen) {
      event.preventDefault()
      choose(chosen, currentTarget)
    } else if (key === 'Tab' && !event.shiftKey && completed) {
      event.preventDefault()
      choose(completed, currentTarget)
    } else if (key === 'Enter') {
      setIsOpen(false)
      onApply(draft.trim())
    } else if (key === 'Escape') {
      if (offers.length > 0) setIsOpen(false)
      else currentTarget.blur()
    }
  }

  return (
    <search className="relative mb-2 block">
      <Icon name="search" className="pointer-events-none absolute top-3 left-3 size-4 text-faint" />
      <input
        ref={input}
        type="text"
        role="combobox"
        aria-label="Filter jobs"
        aria-expanded={offers.length > 0}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={chosen ? `${listId}-${active}` : undefined}
        aria-invalid={hasProblems}
        aria-describedby={hasProblems ? PROBLEMS_ID : undefined}
        data-filter-field
        data-tone="failed"
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        placeholder="type:send_email status:failed payload.user.id:42 older:1h, or any text"
        value={draft}
        onChange={({ target }) => {
          setDraft(target.value)
          setCaret(target.selectionStart)
          setActive(-1)
          setIsOpen(true)
        }}
        onSelect={({ currentTarget }) => setCaret(currentTarget.selectionStart)}
        onFocus={() => setIsOpen(true)}
        onBlur={() => {
          setIsOpen(false)
          onApply(draft.trim())
        }}
        onKeyDown={onKeyDown}
        className="h-10 w-full rounded-lg bg-surface pr-16 pl-9 font-mono text-xs ring-1 ring-line placeholder:font-sans placeholder:text-faint aria-invalid:ring-tone"
      />
      <div className="absolute top-0 right-2 flex h-10 items-center">
        {draft ? (
          <button
            type="button"
            aria-label="Clear the filter"
            onClick={() => {
              setDraft('')
              onApply('')
            }}
            className="grid size-7 place-items-center rounded-md text-muted hover:bg-raised hover:text-ink"
          >
            <Icon name="cross" />
          </button>
        ) : (
          <span
            aria-hidden="true"
            className="mr-1 rounded bg-raised px-1.5 font-mono text-muted text-xs/5 ring-1 ring-line"
          >
            /
          </span>
        )}
      </div>
      <Suggestions id={listId} offers={offers} active={active} onChoose={choose} />
    </search>
  )
}

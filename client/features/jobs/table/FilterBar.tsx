/** The field of the filter: completes words as they are written, and asks on Enter. */
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { api } from '../../../lib/api.ts'
import { Sign } from '../../../ui/Icon.tsx'
import { readFilter } from '../filter/filter.ts'
import { isFilterWanted } from '../filter/focus-request.ts'
import { type Suggestion, suggest, wordAt } from '../filter/suggest.ts'
import { PROBLEMS_ID } from './Problems.tsx'
import { Suggestions } from './Suggestions.tsx'

const KNOWN_FOR_MS = 30_000

export interface FilterBarProps {
  /** What is asked for now. */
  readonly text: string
  readonly hasProblems: boolean
  readonly onAsk: (text: string) => void
}

export function FilterBar({ text, hasProblems, onAsk }: FilterBarProps) {
  const [draft, setDraft] = useState(text)
  const [caret, setCaret] = useState<number | null>(null)
  const [active, setActive] = useState(-1)
  const [isOpen, setIsOpen] = useState(false)
  const listId = useId()
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (isFilterWanted()) input.current?.focus()
  }, [])
  // A space behind the last word is for the next one.
  useEffect(() => setDraft((before) => (before.trim() === text ? before : text)), [text])

  const isHere = caret !== null
  const types = api.types.list.useQuery(undefined, { enabled: isHere, staleTime: KNOWN_FOR_MS })
  const workers = api.workers.list.useQuery(undefined, { enabled: isHere, staleTime: KNOWN_FOR_MS })
  const { type } = readFilter(draft)
  const groups = api.failures.groups.useQuery(type === null ? {} : { type }, {
    // Dearer than the others: asked for only by who writes one.
    enabled: isHere && wordAt(draft, caret)?.key === 'group',
    staleTime: KNOWN_FOR_MS,
  })
  const known = {
    types: types.data?.map(({ name }) => name) ?? [],
    workers: workers.data?.map(({ name }) => name) ?? [],
    groups: [...new Set(groups.data?.map(({ errorKey }) => errorKey))],
  }
  const offers = isOpen && isHere ? suggest(draft, caret, known) : []
  const chosen = offers[active]
  // As in a terminal: Tab completes a word that was begun, and otherwise goes on to what comes next.
  const completed = chosen ?? (isHere && wordAt(draft, caret) ? offers[0] : undefined)

  function choose(offer: Suggestion, field: HTMLInputElement | null) {
    setDraft(offer.text)
    setCaret(offer.caret)
    setActive(-1)
    // A frame later: the caret can only stand where the text is already.
    requestAnimationFrame(() => field?.setSelectionRange(offer.caret, offer.caret))
    if (offer.isWhole) onAsk(offer.text.trim())
  }

  function press(event: KeyboardEvent<HTMLInputElement>) {
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
      onAsk(draft.trim())
    } else if (key === 'Escape') {
      if (offers.length > 0) setIsOpen(false)
      else currentTarget.blur()
    }
  }

  return (
    <search className="relative mb-2 block">
      <Sign of="search" className="pointer-events-none absolute top-3 left-3 size-4 text-faint" />
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
        placeholder="type:send_email status:failed payload.user.id:42 older:1h, or any words"
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
          onAsk(draft.trim())
        }}
        onKeyDown={press}
        className="h-10 w-full rounded-lg bg-surface pr-16 pl-9 font-mono text-xs ring-1 ring-line placeholder:font-sans placeholder:text-faint aria-invalid:ring-tone"
      />
      <div className="absolute top-0 right-2 flex h-10 items-center">
        {draft ? (
          <button
            type="button"
            aria-label="Clear the filter"
            onClick={() => {
              setDraft('')
              onAsk('')
            }}
            className="grid size-7 place-items-center rounded-md text-muted hover:bg-raised hover:text-ink"
          >
            <Sign of="cross" />
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

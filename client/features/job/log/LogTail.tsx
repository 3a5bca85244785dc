/** Live log: follows the end until the user scrolls up, and renders only visible lines. */
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useWindow } from '../../../lib/browser/use-window.ts'
import { formatNumber } from '../../../lib/format-number.ts'
import { Button } from '../../../ui/Button.tsx'
import { CopyButton } from '../../../ui/CopyButton.tsx'
import { LINE_PX, LogLineRow } from './LogLineRow.tsx'
import { type LogState, textOf } from './log-lines.ts'

const NEAR_END_PX = 2 * LINE_PX

export function LogTail({ log, isRunning }: { log: LogState; isRunning: boolean }) {
  const { rows, kept, dropped } = log
  const box = useRef<HTMLDivElement>(null)
  const lastTop = useRef(0)
  const [isFollowing, setIsFollowing] = useState(true)
  const [seen, setSeen] = useState(kept)
  const { first, end } = useWindow(box, rows.length, LINE_PX)

  useLayoutEffect(() => {
    if (isFollowing && rows.length > 0) box.current?.scrollTo({ top: box.current.scrollHeight })
  }, [isFollowing, rows.length])

  useEffect(() => {
    if (isFollowing) setSeen(kept)
  }, [isFollowing, kept])

  // Auto-scroll only moves down, so an upward scroll comes from the user.
  function handleScroll(): void {
    const element = box.current
    if (!element) return
    const isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_END_PX
    if (isAtEnd) setIsFollowing(true)
    else if (isFollowing && element.scrollTop < lastTop.current) setIsFollowing(false)
    lastTop.current = element.scrollTop
  }
  const missed = kept - seen

  return (
    <div>
      <div className="mb-2 flex min-h-7 items-center justify-end gap-1">
        <h2 className="font-semibold">Log</h2>
        <p className="mr-auto pl-2 text-muted text-xs" data-testid="log-state">
          {dropped > 0
            ? `${formatNumber(kept)} of ${formatNumber(kept + dropped)} lines kept`
            : `${formatNumber(kept)} ${kept === 1 ? 'line' : 'lines'}`}
          {/* The count is not announced: it may change four times a second. */}
          <span role="status">{isRunning && (isFollowing ? ' · following' : ' · paused')}</span>
        </p>
        <Button
          isSmall
          weight={missed > 0 ? 'strong' : 'quiet'}
          aria-pressed={isFollowing}
          onClick={() => setIsFollowing(!isFollowing)}
        >
          {isFollowing ? 'Pause' : missed > 0 ? `Follow · ${formatNumber(missed)} new` : 'Follow'}
        </Button>
        <CopyButton what="the log" text={() => textOf(rows)} />
      </div>
      <div
        ref={box}
        role="log"
        aria-label="Log"
        aria-live="off"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the log scrolls, so it needs keyboard focus
        tabIndex={0}
        onScroll={handleScroll}
        data-testid="log"
        data-following={isFollowing}
        className="max-h-96 overflow-auto overscroll-contain rounded-md bg-canvas py-1 font-mono text-xs ring-1 ring-line [overflow-anchor:none]"
      >
        <div style={{ height: rows.length * LINE_PX }}>
          <div className="w-max min-w-full" style={{ transform: `translateY(${first * LINE_PX}px)` }}>
            {rows.slice(first, end).map((row) => (
              <LogLineRow key={row.key} row={row} />
            ))}
          </div>
        </div>
      </div>
    </div>
  )
}

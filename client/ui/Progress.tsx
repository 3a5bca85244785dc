/** Progress bars: inline for lists, and full width. */

interface BarProps {
  readonly label: string
  readonly max: number
  /** undefined: indeterminate. */
  readonly value: number | undefined
  readonly className: string
}

/** Takes its colour from the nearest `data-tone`. */
export function Bar({ label, max, value, className }: BarProps) {
  return (
    <progress
      aria-label={label}
      {...(value === undefined ? {} : { max, value })}
      className={`appearance-none overflow-hidden rounded-full bg-line [&::-moz-progress-bar]:bg-tone [&::-webkit-progress-bar]:bg-line [&::-webkit-progress-value]:bg-tone ${className}`}
    />
  )
}

export function Progress({ percent }: { percent: number }) {
  return (
    <span data-tone="processing" className="flex shrink-0 items-center gap-2">
      <Bar label="progress" max={100} value={percent} className="h-1 w-16" />
      <span className="w-8 text-ink text-xs">{Math.round(percent)}%</span>
    </span>
  )
}

/** Of a whole page; grey once the attempt is over. */
export function WideProgress({ percent, isOver }: { percent: number; isOver: boolean }) {
  return (
    <div data-tone={isOver ? 'cancelled' : 'processing'} className="mt-4 flex items-center gap-3">
      <Bar
        label="Progress"
        max={100}
        value={percent}
        className="h-1.5 flex-1 [&::-webkit-progress-value]:transition-[width] motion-reduce:[&::-webkit-progress-value]:transition-none"
      />
      <span data-testid="progress" className="w-12 text-right font-medium">
        {Math.round(percent)}%
      </span>
    </div>
  )
}

/** How far a job has come, as its worker says. */

export function Progress({ percent }: { percent: number }) {
  const rounded = Math.round(percent)
  return (
    <span className="flex shrink-0 items-center gap-2">
      <progress
        data-tone="processing"
        aria-label="progress"
        max={100}
        value={percent}
        className="h-1 w-16 appearance-none overflow-hidden rounded-full bg-line [&::-moz-progress-bar]:bg-tone [&::-webkit-progress-bar]:bg-line [&::-webkit-progress-value]:bg-tone"
      />
      <span className="w-8 text-ink text-xs">{rounded}%</span>
    </span>
  )
}

/** How far the running attempt has come, as its handler says. */

export function ProgressBar({ percent, isOver }: { percent: number; isOver: boolean }) {
  return (
    <div data-tone={isOver ? 'cancelled' : 'processing'} className="mt-4 flex items-center gap-3">
      <progress
        aria-label="Progress"
        max={100}
        value={percent}
        className="h-1.5 flex-1 appearance-none overflow-hidden rounded-full bg-line [&::-moz-progress-bar]:bg-tone [&::-webkit-progress-bar]:bg-line [&::-webkit-progress-value]:bg-tone [&::-webkit-progress-value]:transition-[width] motion-reduce:[&::-webkit-progress-value]:transition-none"
      />
      <span data-testid="progress" className="w-12 text-right font-medium">
        {Math.round(percent)}%
      </span>
    </div>
  )
}

/** Wait and run time of an attempt as a bar, scaled to the longest attempt. */
import { measured } from '../../../lib/format-duration.ts'

export interface TimeBarProps {
  readonly waitedMs: number
  readonly ranMs: number
  readonly longestMs: number
}

export function TimeBar({ waitedMs, ranMs, longestMs }: TimeBarProps) {
  const part = (ms: number) => `${Math.max(0.5, (ms / longestMs) * 100)}%`
  return (
    <div
      aria-hidden="true"
      title={`waited ${measured(waitedMs)}, ran ${measured(ranMs)}`}
      className="mt-1.5 flex h-0.75 gap-px overflow-hidden rounded-full"
    >
      <span style={{ width: part(waitedMs) }} className="bg-line" />
      <span style={{ width: part(ranMs) }} className="min-w-1 rounded-full bg-tone/70" />
    </div>
  )
}

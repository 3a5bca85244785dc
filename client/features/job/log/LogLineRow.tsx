/** One log line: time, stream and text. */
import { memo } from 'react'
import { droppedText, type LogRow } from './log-lines.ts'

export const LINE_PX = 20

const TONE = { stdout: undefined, stderr: 'failed', log: 'processing' } as const

export const LogLineRow = memo(function LogLineRow({ row }: { row: LogRow }) {
  if (row.kind === 'attempt') {
    return (
      <div style={{ height: LINE_PX }} className="flex items-center gap-2 px-3 font-sans text-muted">
        <span className="font-medium">Attempt {row.version}</span>
        <span aria-hidden="true" className="h-px flex-1 bg-line" />
      </div>
    )
  }
  if (row.kind === 'dropped') {
    return (
      <div
        style={{ height: LINE_PX }}
        data-testid="dropped"
        data-tone="pending"
        className="flex items-center px-3 font-sans text-tone-ink"
      >
        {droppedText(row.count)}
      </div>
    )
  }
  const { stream, at, text } = row
  const date = new Date(at)
  return (
    <div
      data-stream={stream}
      data-tone={TONE[stream]}
      style={{ height: LINE_PX }}
      className="flex items-center gap-2.5 px-3 hover:bg-raised/60"
    >
      <span title={`${stream} · ${date.toISOString()}`} className="text-faint">
        {clock(date)}
      </span>
      <span
        aria-hidden="true"
        className={`h-3 w-0.5 shrink-0 rounded ${stream === 'stdout' ? 'bg-line' : 'bg-tone'}`}
      />
      {stream === 'stderr' && <span className="sr-only">stderr: </span>}
      <span className={`whitespace-pre ${stream === 'stderr' ? 'text-tone-ink' : 'text-ink'}`}>{text}</span>
    </div>
  )
})

function clock(date: Date): string {
  const two = (n: number) => String(n).padStart(2, '0')
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${String(date.getMilliseconds()).padStart(3, '0')}`
}

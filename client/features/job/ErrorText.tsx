/** Error of an attempt: the first lines, expandable. */
import { useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'

const FIRST_LINES = 3
const FIRST_LENGTH = 400

export function ErrorText({ text }: { text: string }) {
  const [isWhole, setIsWhole] = useState(false)
  const lines = text.split('\n')
  const start = lines.slice(0, FIRST_LINES).join('\n').slice(0, FIRST_LENGTH)
  const isLong = start.length < text.length
  return (
    <div data-tone="failed" data-testid="error" className="mt-2 rounded-md bg-tone/8 ring-1 ring-tone/25">
      <div className="flex items-start">
        <pre className="min-w-0 flex-1 whitespace-pre-wrap px-3 py-2 font-mono text-tone-ink text-xs/5 wrap-anywhere">
          {isWhole || !isLong ? text : `${start}…`}
        </pre>
        <span className="p-1">
          <CopyButton what="the error" text={() => text} />
        </span>
      </div>
      {isLong && (
        <div className="px-1 pb-1">
          <Button isSmall weight="quiet" aria-expanded={isWhole} onClick={() => setIsWhole(!isWhole)}>
            {isWhole ? 'Show less' : lines.length > FIRST_LINES ? `Show all ${lines.length} lines` : 'Show all'}
          </Button>
        </div>
      )}
    </div>
  )
}

/** What the table says when nothing matches, with filters to try. */
import { Button } from '../../ui/Button.tsx'
import { EXAMPLES } from '../filter/keys.ts'

export function NoMatch({ isEmpty, onAsk }: { isEmpty: boolean; onAsk: (text: string) => void }) {
  return (
    <div className="px-4 py-6 sm:px-5">
      <p className="font-medium">No job matches</p>
      <p className="mt-1 text-muted">New ones that match appear here by themselves. Other things to ask:</p>
      <div className="mt-3 flex flex-wrap gap-2">
        {EXAMPLES.map((example) => (
          <Button key={example} isSmall className="font-mono" onClick={() => onAsk(example)}>
            {example}
          </Button>
        ))}
        {!isEmpty && (
          <Button isSmall weight="quiet" onClick={() => onAsk('')}>
            Clear the filter
          </Button>
        )}
      </div>
    </div>
  )
}

/** What the table says when nothing matches: a type that is unknown, and filters to try. */

import { nearest } from '../../../shared/nearest.ts'
import { api } from '../../api.ts'
import { Button } from '../../ui/Button.tsx'
import { type ReadFilter, withType } from '../filter/filter.ts'
import { EXAMPLES } from '../filter/keys.ts'

/** Letters that may be wrong in the name of a type. */
const MOST_WRONG = 3

export interface NoMatchProps {
  readonly text: string
  readonly filter: ReadFilter
  readonly onAsk: (text: string) => void
}

export function NoMatch({ text, filter, onAsk }: NoMatchProps) {
  return (
    <div className="px-4 py-6 sm:px-5">
      <p className="font-medium">No job matches</p>
      {filter.type !== null && <UnknownType type={filter.type} onAsk={(type) => onAsk(withType(text, type))} />}
      <p className="mt-1 text-muted">New ones that match appear here by themselves. Other things to ask:</p>
      <div className="mt-3 flex flex-wrap gap-2">
        {EXAMPLES.map((example) => (
          <Button key={example} isSmall className="font-mono" onClick={() => onAsk(example)}>
            {example}
          </Button>
        ))}
        {!filter.isEmpty && (
          <Button isSmall weight="quiet" onClick={() => onAsk('')}>
            Clear the filter
          </Button>
        )}
      </div>
    </div>
  )
}

function UnknownType({ type, onAsk }: { type: string; onAsk: (type: string) => void }) {
  const types = api.types.list.useQuery()
  const names = types.data?.map(({ name }) => name)
  if (!names || names.includes(type)) return null
  const meant = nearest(type, names, MOST_WRONG)
  return (
    <p role="status" className="mt-1 wrap-anywhere">
      No type is called “{type}”.
      {meant !== undefined && (
        <>
          {' Did you mean '}
          <button type="button" onClick={() => onAsk(meant)} className="font-medium underline underline-offset-2">
            {meant}
          </button>
          ?
        </>
      )}
    </p>
  )
}

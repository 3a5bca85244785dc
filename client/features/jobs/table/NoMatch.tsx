/** What the table says when nothing matches: a type that is unknown, and filters to try. */
import { nearest } from '../../../../shared/nearest.ts'
import { api } from '../../../lib/api.ts'
import { Button } from '../../../ui/Button.tsx'
import { type ReadFilter, withType } from '../filter/filter.ts'
import { EXAMPLES } from '../filter/keys.ts'
import { otherKind } from '../filter/other-kind.ts'

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
      <OtherKind text={text} onAsk={onAsk} />
      {filter.at(0).errorKey !== undefined && (
        <p role="status" className="mt-1">
          Failures counts attempts: a job that was tried again since, or was removed, is no longer in its group.
        </p>
      )}
      {isWithoutWorker(filter) && (
        <p role="status" className="mt-1">
          Only jobs that run or were completed have a worker. The page of another tells who tried it.
        </p>
      )}
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

/** 42 and "42" are different values, and only whoever wrote the payload knows which it is. */
function OtherKind({ text, onAsk }: Pick<NoMatchProps, 'text' | 'onAsk'>) {
  const other = otherKind(text)
  if (!other) return null
  return (
    <p role="status" className="mt-1 wrap-anywhere">
      The value in the payload was looked for {other.isText ? 'as text' : 'as JSON, not as text'}.{' '}
      <button type="button" onClick={() => onAsk(other.text)} className="font-medium underline underline-offset-2">
        Look for it {other.isText ? 'as JSON' : 'as text'}
      </button>
    </p>
  )
}

function isWithoutWorker({ statuses, at }: ReadFilter): boolean {
  const holds = statuses?.some((status) => status === 'processing' || status === 'completed') ?? true
  return at(0).worker !== undefined && !holds
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

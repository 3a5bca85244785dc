/** Empty state of the table: corrections of the filter and example filters. */
import { nearest } from '../../../../shared/json/nearest.ts'
import { api } from '../../../lib/api.ts'
import { type ParsedFilter, withType } from '../../../lib/filter/filter.ts'
import { EXAMPLES } from '../../../lib/filter/keys.ts'
import { otherKind } from '../../../lib/filter/other-kind.ts'
import { Button } from '../../../ui/Button.tsx'

/** Maximum edit distance of a suggested type name. */
const MAX_DISTANCE = 3

export interface NoMatchProps {
  readonly text: string
  readonly filter: ParsedFilter
  readonly onApply: (text: string) => void
}

export function NoMatch({ text, filter, onApply }: NoMatchProps) {
  return (
    <div className="px-4 py-6 sm:px-5">
      <p className="font-medium">No job matches</p>
      {filter.type !== null && <UnknownType type={filter.type} onApply={(type) => onApply(withType(text, type))} />}
      <OtherKind text={text} onApply={onApply} />
      {filter.toJobFilter(0).errorKey !== undefined && (
        <p role="status" className="mt-1">
          The Failures page counts attempts: jobs that were retried or deleted since are no longer in the group.
        </p>
      )}
      {isWithoutWorker(filter) && (
        <p role="status" className="mt-1">
          Only running and completed jobs have a worker. For other jobs, the job page lists the worker of each attempt.
        </p>
      )}
      <p className="mt-1 text-muted">New matching jobs appear here automatically. Other filters to try:</p>
      <div className="mt-3 flex flex-wrap gap-2">
        {EXAMPLES.map((example) => (
          <Button key={example} isSmall className="font-mono" onClick={() => onApply(example)}>
            {example}
          </Button>
        ))}
        {!filter.isEmpty && (
          <Button isSmall weight="quiet" onClick={() => onApply('')}>
            Clear the filter
          </Button>
        )}
      </div>
    </div>
  )
}

/** 42 and "42" are different values in a payload. */
function OtherKind({ text, onApply }: Pick<NoMatchProps, 'text' | 'onApply'>) {
  const other = otherKind(text)
  if (!other) return null
  return (
    <p role="status" className="mt-1 wrap-anywhere">
      The payload was searched for this value {other.isText ? 'as text' : 'as JSON, not as text'}.{' '}
      <button type="button" onClick={() => onApply(other.text)} className="font-medium underline underline-offset-2">
        Search for it {other.isText ? 'as JSON' : 'as text'}
      </button>
    </p>
  )
}

function isWithoutWorker({ statuses, toJobFilter }: ParsedFilter): boolean {
  const holds = statuses?.some((status) => status === 'processing' || status === 'completed') ?? true
  return toJobFilter(0).worker !== undefined && !holds
}

function UnknownType({ type, onApply }: { type: string; onApply: (type: string) => void }) {
  const types = api.types.list.useQuery()
  const names = types.data?.map(({ name }) => name)
  if (!names || names.includes(type)) return null
  const meant = nearest(type, names, MAX_DISTANCE)
  return (
    <p role="status" className="mt-1 wrap-anywhere">
      There is no type “{type}”.
      {meant !== undefined && (
        <>
          {' Did you mean '}
          <button type="button" onClick={() => onApply(meant)} className="font-medium underline underline-offset-2">
            {meant}
          </button>
          ?
        </>
      )}
    </p>
  )
}

/** Audit tab: live audit trail, newest first, with older entries on request. */
import { useSearchParams } from 'wouter'
import { useHasScope, useSession } from '../../session/use-session.ts'
import { Button } from '../../ui/Button.tsx'
import { FailedToLoad } from '../../ui/FailedToLoad.tsx'
import { Panel } from '../../ui/Panel.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { AuditLine } from './AuditLine.tsx'
import { matchesText } from './format-audit.ts'
import { useAudit } from './use-audit.ts'

export function AuditTab() {
  const session = useSession()
  const isAdmin = useHasScope('admin')
  // The scopes are unknown until the session is loaded.
  if (!session) return <Skeleton className="h-40 w-full" />
  if (isAdmin) return <Audit />
  return (
    <Panel title="Audit trail">
      <p className="text-muted">Viewing the audit trail requires the admin scope.</p>
    </Panel>
  )
}

function Audit() {
  const [params, setParams] = useSearchParams()
  const target = params.get('target') ?? ''
  const text = params.get('q') ?? ''
  const showTarget = (target: string) => setParams(target === '' ? { tab: 'audit' } : { tab: 'audit', target })
  const search = (query: string) =>
    setParams({ tab: 'audit', ...(target !== '' && { target }), ...(query !== '' && { q: query }) }, { replace: true })
  return (
    <Panel title="Audit trail">
      <div className="mb-3 flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <p className="text-muted">
          {target === '' ? (
            'All operator actions and access changes, as they happen.'
          ) : (
            <>
              Only entries for <code className="font-mono text-ink text-xs wrap-anywhere">{target}</code>.{' '}
              <Button isSmall onClick={() => showTarget('')}>
                Show all
              </Button>
            </>
          )}
        </p>
        <input
          type="search"
          aria-label="Search the audit trail"
          placeholder="Actor, action or target"
          value={text}
          onChange={(event) => search(event.target.value)}
          className="h-8 w-56 max-w-full rounded-md bg-canvas px-2.5 ring-1 ring-line placeholder:text-faint"
        />
      </div>
      <Entries key={target} target={target} text={text} onTarget={showTarget} />
    </Panel>
  )
}

interface EntriesProps {
  readonly target: string
  readonly text: string
  readonly onTarget: (target: string) => void
}

function Entries({ target, text, onTarget }: EntriesProps) {
  const { newest, trail, loadMore, isBusy, error } = useAudit(target)
  if (newest.error && !trail) {
    return <FailedToLoad what="the audit trail" error={newest.error} onRetry={() => void newest.refetch()} />
  }
  if (!trail) return <Skeleton className="h-48 w-full" />
  const { entries, isEnd } = trail
  if (entries.length === 0)
    return (
      <p className="text-muted">No entries yet. Actions such as pausing the queue or retrying a job appear here.</p>
    )
  const found = entries.filter((entry) => matchesText(entry, text))
  return (
    <>
      <ol aria-label="Audit trail" className="divide-y divide-line/60">
        {found.map((entry) => (
          <AuditLine key={entry.id} entry={entry} onTarget={onTarget} />
        ))}
      </ol>
      {error !== null && (
        <p role="alert" data-tone="failed" className="mt-2 text-tone-ink">
          {error instanceof Error ? error.message : String(error)}
        </p>
      )}
      <div className="mt-3 flex flex-wrap items-center gap-x-3 gap-y-2">
        {!isEnd && (
          <Button disabled={isBusy} onClick={() => void loadMore()}>
            {isBusy ? 'Loading…' : 'Load more'}
          </Button>
        )}
        {text !== '' && (
          <p role="status" className="text-muted">
            {found.length} of {entries.length} {isEnd ? 'entries' : 'loaded entries'}
          </p>
        )}
      </div>
    </>
  )
}

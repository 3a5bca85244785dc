/** Who did what: newest first, as it happens, further back on request. */
import { useSearchParams } from 'wouter'
import { lacks, useMay, useSession } from '../../session/use-session.ts'
import { Button } from '../../ui/Button.tsx'
import { FailedToLoad } from '../../ui/FailedToLoad.tsx'
import { Panel } from '../../ui/Panel.tsx'
import { Bone } from '../../ui/Skeleton.tsx'
import { AuditLine } from './AuditLine.tsx'
import { isFound } from './format-audit.ts'
import { useAudit } from './use-audit.ts'

export function AuditTab() {
  const session = useSession()
  const may = useMay('admin')
  // Whoever may not is not to ask: who it is comes first.
  if (!session) return <Bone className="h-40 w-full" />
  if (may) return <Audit />
  return (
    <Panel title="Audit trail">
      <p className="text-muted">{lacks('admin')} Whoever has one reads here who did what.</p>
    </Panel>
  )
}

function Audit() {
  const [params, setParams] = useSearchParams()
  const target = params.get('target') ?? ''
  const text = params.get('q') ?? ''
  const look = (wanted: string) => setParams(wanted === '' ? { tab: 'audit' } : { tab: 'audit', target: wanted })
  const find = (words: string) =>
    setParams({ tab: 'audit', ...(target !== '' && { target }), ...(words !== '' && { q: words }) }, { replace: true })
  return (
    <Panel title="Audit trail">
      <div className="mb-3 flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <p className="text-muted">
          {target === '' ? (
            'Every act of an operator and every change of access, with who did it, as it happens.'
          ) : (
            <>
              Only what was done to <code className="font-mono text-ink text-xs wrap-anywhere">{target}</code>.{' '}
              <Button isSmall onClick={() => look('')}>
                Show all
              </Button>
            </>
          )}
        </p>
        <input
          type="search"
          aria-label="Find in the trail"
          placeholder="Who, what or on what"
          value={text}
          onChange={(event) => find(event.target.value)}
          className="h-8 w-56 max-w-full rounded-md bg-canvas px-2.5 ring-1 ring-line placeholder:text-faint"
        />
      </div>
      <Entries key={target} target={target} text={text} onTarget={look} />
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
  if (!trail) return <Bone className="h-48 w-full" />
  const { entries, isEnd } = trail
  if (entries.length === 0)
    return <p className="text-muted">Nothing yet. Pause the queue, or retry a job: it will be here.</p>
  const found = entries.filter((entry) => isFound(entry, text))
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
            {found.length} of {entries.length} {isEnd ? 'entries' : 'that are loaded'}
          </p>
        )}
      </div>
    </>
  )
}

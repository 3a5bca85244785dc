/** Who did what: newest first, further back on request. */
import { useSearchParams } from 'wouter'
import { Age } from '../overview/Age.tsx'
import { Bone } from '../page/Bone.tsx'
import { FailedToLoad } from '../page/FailedToLoad.tsx'
import { Panel } from '../page/Panel.tsx'
import { lacks, useMay } from '../session/use-session.ts'
import { Button } from '../ui/Button.tsx'
import { type AuditEntry, useAudit } from './use-audit.ts'

export function AuditTab() {
  if (useMay('admin')) return <Audit />
  return (
    <Panel title="Audit trail">
      <p className="text-muted">{lacks('admin')} Whoever has one reads here who did what.</p>
    </Panel>
  )
}

function Audit() {
  const [params, setParams] = useSearchParams()
  const target = params.get('target') ?? ''
  const look = (wanted: string) => setParams(wanted === '' ? { tab: 'audit' } : { tab: 'audit', target: wanted })
  return (
    <Panel title="Audit trail">
      <p className="mb-3 text-muted">
        {target === '' ? (
          'Every act of an operator and every change of access, with who did it.'
        ) : (
          <>
            Only what was done to <code className="font-mono text-ink text-xs wrap-anywhere">{target}</code>.{' '}
            <Button isSmall onClick={() => look('')}>
              Show all
            </Button>
          </>
        )}
      </p>
      <Trail key={target} target={target} onTarget={look} />
    </Panel>
  )
}

function Trail({ target, onTarget }: { target: string; onTarget: (target: string) => void }) {
  const { first, entries, loadMore, refresh, isBusy, error, isEnd } = useAudit(target)
  if (first.error && !entries) {
    return <FailedToLoad what="the audit trail" error={first.error} onRetry={() => void first.refetch()} />
  }
  if (!entries) return <Bone className="h-48 w-full" />
  if (entries.length === 0)
    return <p className="text-muted">Nothing yet. Pause the queue, or retry a job: it will be here.</p>
  return (
    <>
      <ol aria-label="Audit trail" className="divide-y divide-line/60">
        {entries.map((entry) => (
          <Entry key={entry.id} entry={entry} onTarget={onTarget} />
        ))}
      </ol>
      {error !== null && (
        <p role="alert" data-tone="failed" className="mt-2 text-tone-ink">
          {error instanceof Error ? error.message : String(error)}
        </p>
      )}
      <div className="mt-3 flex gap-2">
        {!isEnd && (
          <Button disabled={isBusy} onClick={() => void loadMore()}>
            {isBusy ? 'Loading…' : 'Load more'}
          </Button>
        )}
        <Button weight="quiet" onClick={refresh}>
          Refresh
        </Button>
      </div>
    </>
  )
}

function Entry({
  entry: { at, actor, action, target, details },
  onTarget,
}: {
  entry: AuditEntry
  onTarget: (target: string) => void
}) {
  const words = JSON.stringify(details) ?? ''
  const text = words === '{}' || words === 'null' ? '' : words
  return (
    <li className="grid items-baseline gap-x-4 gap-y-0.5 py-2 md:grid-cols-[3rem_10rem_11rem_minmax(0,1fr)]">
      <span className="text-muted md:text-right">
        <Age at={at} />
      </span>
      <span className="truncate" title={actor}>
        {actor}
      </span>
      <span className="truncate font-medium" title={action}>
        {action}
      </span>
      <span className="min-w-0">
        {target !== null && (
          <button
            type="button"
            title={`Only ${target}`}
            onClick={() => onTarget(target)}
            className="max-w-full truncate rounded text-left hover:underline"
          >
            {target}
          </button>
        )}
        {text !== '' && (
          <code className="block truncate font-mono text-muted text-xs" title={text}>
            {text}
          </code>
        )}
      </span>
    </li>
  )
}

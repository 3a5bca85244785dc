/** Page of one group: rules, totals and its keys. */
import { Link } from 'wouter'
import { usePageName } from '../../../lib/browser/page-name.ts'
import { tableAddress } from '../../../lib/jobs-address.ts'
import { Badge } from '../../../ui/Badge.tsx'
import { Button } from '../../../ui/Button.tsx'
import { FailedToLoad } from '../../../ui/FailedToLoad.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { Subhead } from '../../../ui/Subhead.tsx'
import { PauseButton } from '../PauseButton.tsx'
import { EditRules } from '../rules/EditRules.tsx'
import { RulesLine } from '../rules/RulesLine.tsx'
import { Totals } from '../Totals.tsx'
import { useGroupsUrl } from '../use-groups-url.ts'
import { KeyList } from './KeyList.tsx'
import { useGroup } from './use-group.ts'

export function GroupPage({ name }: { name: string }) {
  const { query, group } = useGroup(name)
  const { edit, set } = useGroupsUrl()
  usePageName(`${name} · Groups`)
  if (query.error && group === undefined) {
    return <FailedToLoad isPage what="the group" error={query.error} onRetry={() => void query.refetch()} />
  }
  return (
    <>
      <Subhead
        title={name}
        badges={group?.effective.paused && <Badge tone="pending">paused</Badge>}
        back="Groups"
        backTo="/groups"
        actions={
          group && (
            <>
              <Button
                needs="admin"
                onClick={() => set('edit', name, { replace: false })}
                aria-label={`Edit limits of ${name}`}
              >
                Edit limits
              </Button>
              <PauseButton
                target={{ name, key: null, isPausedBelow: group.declared.paused ?? false }}
                isPaused={group.effective.paused}
              />
            </>
          )
        }
      >
        {group && <RulesLine effective={group.effective} override={group.override} />}
        {group && group.types.length > 0 && <Types names={group.types} />}
        {group === undefined && (
          <>
            <Skeleton className="my-0.5 h-4 w-64 max-w-full" />
            <Skeleton className="my-0.5 h-4 w-40" />
          </>
        )}
        {group === null && (
          <p className="text-muted">No type declares this group, and no unfinished job belongs to it.</p>
        )}
      </Subhead>
      {group !== null && <Totals name={name} keyName={null} counts={group} keys={group?.keys} />}
      <KeyList name={name} hasKeys={group === undefined ? null : group !== null && group.keys > 0} />
      {group && edit === name && (
        <EditRules group={group} keyName={null} override={group.override} onClose={() => set('edit', null)} />
      )}
    </>
  )
}

function Types({ names }: { names: readonly string[] }) {
  return (
    <p className="text-muted wrap-anywhere">
      {names.length === 1 ? 'Type' : 'Types'}{' '}
      {names.map((name, index) => (
        <span key={name}>
          {index > 0 && ', '}
          <Link href={tableAddress('type', name)} className="text-ink underline decoration-line underline-offset-3">
            {name}
          </Link>
        </span>
      ))}
    </p>
  )
}

/** Page of one key: its state, numbers, limits and actions. */
import { Link } from 'wouter'
import { usePageName } from '../../../lib/browser/page-name.ts'
import { groupAddress } from '../../../lib/groups-address.ts'
import { groupJobsAddress } from '../../../lib/jobs-address.ts'
import { Button } from '../../../ui/Button.tsx'
import { FailedToLoad } from '../../../ui/FailedToLoad.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { Subhead } from '../../../ui/Subhead.tsx'
import { KeyBadges } from '../KeyBadges.tsx'
import { useGroup } from '../keys/use-group.ts'
import { PauseButton } from '../PauseButton.tsx'
import { EditRules } from '../rules/EditRules.tsx'
import { Totals } from '../Totals.tsx'
import { useGroupsUrl } from '../use-groups-url.ts'
import { KeyLimits } from './KeyLimits.tsx'
import { KeyState } from './KeyState.tsx'
import { useKey } from './use-key.ts'

export function KeyPage({ name, keyName }: { name: string; keyName: string }) {
  const { query, row } = useKey(name, keyName)
  const { group } = useGroup(name)
  const { edit, set } = useGroupsUrl()
  usePageName(`${keyName} · ${name}`)
  if (query.error && !row) {
    return <FailedToLoad isPage what="the key" error={query.error} onRetry={() => void query.refetch()} />
  }
  const openEdit = () => set('edit', keyName, { replace: false })
  return (
    <>
      <Subhead
        title={keyName}
        badges={row && <KeyBadges row={row} />}
        back={name}
        backTo={groupAddress(name)}
        actions={
          row &&
          group !== undefined && (
            <>
              <Button needs="admin" onClick={openEdit} aria-label={`Edit limits of ${keyName}`}>
                Edit limits
              </Button>
              <PauseButton
                target={{ name, key: keyName, isPausedBelow: group?.effective.paused ?? false }}
                isPaused={row.effective.paused}
              />
            </>
          )
        }
      >
        <p className="text-muted">
          Key of the group {name}.{' '}
          <Link
            href={groupJobsAddress(name, keyName)}
            className="text-ink underline decoration-line underline-offset-3"
          >
            Jobs of this key
          </Link>
        </p>
      </Subhead>
      {row ? <KeyState row={row} /> : <Skeleton className="mb-4 h-14 w-full" />}
      <Totals name={name} keyName={keyName} counts={row} />
      <KeyLimits row={row} group={group ?? undefined} />
      {row && group !== undefined && edit === keyName && (
        <EditRules
          group={group ?? { name, declared: {}, effective: row.effective }}
          keyName={keyName}
          override={row.override}
          onClose={() => set('edit', null)}
        />
      )}
    </>
  )
}

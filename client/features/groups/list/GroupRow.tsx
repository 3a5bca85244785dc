/** One group: its rules, numbers and actions. */
import { Link } from 'wouter'
import type { Status } from '../../../../shared/status.ts'
import { formatNumber } from '../../../lib/format-number.ts'
import { groupAddress } from '../../../lib/groups-address.ts'
import { Badge } from '../../../ui/Badge.tsx'
import { Button } from '../../../ui/Button.tsx'
import { StatusDot } from '../../../ui/job/StatusPill.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { PauseButton } from '../PauseButton.tsx'
import { RulesLine } from '../rules/RulesLine.tsx'
import type { Group } from './use-groups.ts'

export const COLUMNS =
  'grid items-center gap-x-4 px-4 sm:px-5 lg:grid-cols-[minmax(0,1fr)_5rem_5.5rem_5.5rem_6rem_8.5rem]'

export function GroupRow({ group, onEdit }: { group: Group; onEdit: () => void }) {
  const { name, types, declared, override, effective, keys, pending, processing, blocked } = group
  const ofTypes = types.filter((type) => type !== name)
  return (
    <li data-group={name} className={`${COLUMNS} min-h-15 grid-cols-2 gap-y-1 py-2.5 hover:bg-raised/40`}>
      <div className="col-span-2 min-w-0 lg:col-span-1">
        <p className="flex min-w-0 items-center gap-2">
          <Link href={groupAddress(name)} className="truncate font-medium hover:underline">
            {name}
          </Link>
          {effective.paused && <Badge tone="pending">paused</Badge>}
          {ofTypes.length > 0 && (
            <span className="truncate text-faint text-xs" title={ofTypes.join('\n')}>
              {ofTypes.join(', ')}
            </span>
          )}
        </p>
        <RulesLine effective={effective} override={override} className="truncate text-xs" />
      </div>
      <Count name="Keys" of={keys} />
      <Count name="Blocked" status="blocked" of={blocked} />
      <Count name="Pending" status="pending" of={pending} />
      <Count name="Processing" status="processing" of={processing} />
      <div className="col-span-2 flex justify-end gap-1 lg:col-span-1">
        <Button isSmall needs="admin" weight="quiet" onClick={onEdit} aria-label={`Edit limits of ${name}`}>
          Edit
        </Button>
        <PauseButton
          isSmall
          target={{ name, key: null, isPausedBelow: declared.paused ?? false }}
          isPaused={effective.paused}
        />
      </div>
    </li>
  )
}

/** Narrow pages have no column heads, so the name stands beside the number. */
function Count({ name, status, of: count }: { name: string; status?: Status; of: number }) {
  return (
    <p data-tone={status} className="flex items-center justify-between gap-2 lg:justify-end">
      <span className="flex items-center gap-1.5 text-muted text-xs lg:sr-only">
        {status && <StatusDot status={status} />}
        {name}
      </span>
      <span className={count === 0 ? 'text-faint' : ''}>{formatNumber(count)}</span>
    </p>
  )
}

export function SkeletonGroup() {
  return (
    <li aria-hidden="true" className="flex min-h-15 items-center gap-4 px-4 sm:px-5">
      <Skeleton className="h-8 w-2/5" />
      <Skeleton className="ml-auto h-6 w-40" />
    </li>
  )
}

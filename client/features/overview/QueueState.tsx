/** Queue state banner: running, paused or without workers, with the pause button. */
import { Link } from 'wouter'
import { api } from '../../lib/api.ts'
import { formatTerm } from '../../lib/filter/tokenizer.ts'
import { formatNumber } from '../../lib/format-number.ts'
import { toasts } from '../../lib/toasts.ts'
import { useFrames } from '../../live/use-live.ts'
import { useNow } from '../../live/use-now.ts'
import { usePaced } from '../../live/use-paced.ts'
import type { Stats } from '../../live/use-stats.ts'
import { Button } from '../../ui/Button.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { isOnline, unclaimed, unlisted } from './unclaimed-types.ts'

const READ_EVERY_MS = 5_000
/** Half of the time after which a worker counts as offline. */
const POLL_EVERY_MS = 10_000

export interface QueueStateProps {
  /** Number of pending jobs. */
  readonly pending?: number | undefined
  readonly stats: Stats | undefined
}

export function QueueState({ pending = 0, stats }: QueueStateProps) {
  const utils = api.useUtils()
  const settings = api.settings.get.useQuery()
  const workers = api.workers.list.useQuery(undefined, { refetchInterval: POLL_EVERY_MS })
  const refresh = usePaced(workers, READ_EVERY_MS)
  useFrames(refresh)
  const now = useNow()
  const isPaused = settings.data?.paused ?? false
  const handlers = {
    onError: (error: unknown) => toasts.showError(error),
    onSettled: () => utils.settings.get.invalidate(),
  }
  const pause = api.settings.pause.useMutation(handlers)
  const resume = api.settings.resume.useMutation(handlers)
  const online = workers.data?.filter((worker) => isOnline(worker, now)).length
  const candidates = stats && workers.data ? unlisted(stats, workers.data, now) : []
  // Queried only when needed: there may be thousands of types.
  const types = api.types.list.useQuery(undefined, { enabled: candidates.length > 0, refetchInterval: 15_000 })
  const unclaimedTypes = unclaimed(candidates, types.data ?? [], workers.data ?? [], now)
  // Same height as the banner, so that nothing below moves.
  if (!settings.data) return <Skeleton className="mb-5 h-11 w-full" />
  const isWithoutWorkers = !isPaused && online === 0 && pending > 0
  const isNormal = !isPaused && !isWithoutWorkers && unclaimedTypes.length === 0
  return (
    <div
      data-testid="queue-state"
      data-tone={isNormal ? 'completed' : 'pending'}
      className={`mb-5 flex flex-wrap items-center gap-x-3 gap-y-2 rounded-lg px-4 py-2 ring-1 sm:gap-x-4 sm:px-5 ${isNormal ? 'bg-surface ring-line' : 'bg-tone/12 ring-tone/40'}`}
    >
      <span aria-hidden="true" className="size-2 rounded-full bg-tone" />
      <p role="status" className="font-medium max-sm:max-w-[calc(100%-1.25rem)]">
        {isPaused
          ? 'Paused. No jobs are being started'
          : isWithoutWorkers
            ? 'Jobs are waiting; no worker is online'
            : unclaimedTypes.length > 0
              ? 'Jobs are waiting; no online worker claims'
              : 'Running'}
        {!isPaused && !isWithoutWorkers && unclaimedTypes.length > 0 && <TypeNames names={unclaimedTypes} />}
      </p>
      {online !== undefined && (
        <Link href="/workers" className="text-muted hover:text-ink hover:underline">
          {formatNumber(online)} {online === 1 ? 'worker' : 'workers'} online
        </Link>
      )}
      <Button
        isSmall
        needs="admin"
        className="ml-auto"
        disabled={pause.isPending || resume.isPending}
        onClick={() => (isPaused ? resume : pause).mutate()}
      >
        <span>
          {isPaused ? 'Resume' : 'Pause'}
          <span className="max-sm:sr-only"> the queue</span>
        </span>
      </Button>
    </div>
  )
}

/** Link to the jobs of the first type, and the number of other types. */
function TypeNames({ names: [first = '', ...others] }: { names: readonly string[] }) {
  const query = new URLSearchParams({ view: 'table', q: `${formatTerm('type', first)} status:pending` })
  return (
    <>
      {' '}
      <Link href={`/jobs?${query}`} className="wrap-anywhere underline underline-offset-2">
        {first}
      </Link>
      {others.length > 0 && (
        <span title={others.join('\n')}>
          {' '}
          or {formatNumber(others.length)} other {others.length === 1 ? 'type' : 'types'}
        </span>
      )}
    </>
  )
}

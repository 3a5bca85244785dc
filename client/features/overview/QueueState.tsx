/** Whether the queue hands out work, who is there to do it, and the switch for all of it. */
import { Link } from 'wouter'
import { api } from '../../lib/api.ts'
import { formatNumber } from '../../lib/format-number.ts'
import { useFrames } from '../../live/use-live.ts'
import { useNow } from '../../live/use-now.ts'
import { usePaced } from '../../live/use-paced.ts'
import { Button } from '../../ui/Button.tsx'
import { Bone } from '../../ui/Skeleton.tsx'
import { toasts } from '../../ui/toasts.ts'
import { wordFor } from '../jobs/filter/tokenizer.ts'
import { isOnline, unnamed, untaken } from './untaken.ts'
import type { Stats } from './use-stats.ts'

const READ_EVERY_MS = 5_000
/** Twice as often as a worker may be late: what is shown must not be older. */
const POLL_EVERY_MS = 10_000

export interface QueueStateProps {
  /** How many jobs could be taken now. */
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
  const done = {
    onError: (error: unknown) => toasts.complain(error),
    onSettled: () => utils.settings.get.invalidate(),
  }
  const pause = api.settings.pause.useMutation(done)
  const resume = api.settings.resume.useMutation(done)
  const online = workers.data?.filter((worker) => isOnline(worker, now)).length
  const candidates = stats && workers.data ? unnamed(stats, workers.data, now) : []
  // Only asked for where it matters: there may be thousands of types.
  const types = api.types.list.useQuery(undefined, { enabled: candidates.length > 0, refetchInterval: 15_000 })
  const left = untaken(candidates, types.data ?? [], workers.data ?? [], now)
  // As high as what comes: nothing below moves.
  if (!settings.data) return <Bone className="mb-5 h-11 w-full" />
  const isAlone = !isPaused && online === 0 && pending > 0
  const isCalm = !isPaused && !isAlone && left.length === 0
  return (
    <div
      data-testid="queue-state"
      data-tone={isCalm ? 'completed' : 'pending'}
      className={`mb-5 flex flex-wrap items-center gap-x-3 gap-y-2 rounded-lg px-4 py-2 ring-1 sm:gap-x-4 sm:px-5 ${isCalm ? 'bg-surface ring-line' : 'bg-tone/12 ring-tone/40'}`}
    >
      <span aria-hidden="true" className="size-2 rounded-full bg-tone" />
      <p role="status" className="font-medium max-sm:max-w-[calc(100%-1.25rem)]">
        {isPaused
          ? 'Paused: nothing is handed out'
          : isAlone
            ? 'Jobs are waiting; no worker is online'
            : left.length > 0
              ? 'Jobs are waiting; no online worker takes'
              : 'Running'}
        {!isPaused && !isAlone && left.length > 0 && <Left names={left} />}
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

/** The first by its name, which leads to its jobs, and how many others there are. */
function Left({ names: [first = '', ...others] }: { names: readonly string[] }) {
  const query = new URLSearchParams({ view: 'table', q: `${wordFor('type', first)} status:pending` })
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

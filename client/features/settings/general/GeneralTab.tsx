/** General tab: pause, limits and defaults of the queue. */

import { FailedToLoad } from '../../../ui/FailedToLoad.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { useQueueSettings } from '../use-queue-settings.ts'
import { PauseQueue } from './PauseQueue.tsx'
import { QueueForm } from './QueueForm.tsx'

export function GeneralTab() {
  const { data, error, refetch } = useQueueSettings()
  if (error && !data) return <FailedToLoad what="the settings" error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton className="h-64 w-full" />
  return (
    <div className="grid gap-5">
      <PauseQueue isPaused={data.paused ?? false} />
      <QueueForm settings={data} />
    </div>
  )
}

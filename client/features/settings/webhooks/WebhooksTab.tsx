/** Webhooks tab. */

import { FailedToLoad } from '../../../ui/FailedToLoad.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { useQueueSettings } from '../use-queue-settings.ts'
import { WebhookForm } from './WebhookForm.tsx'

export function WebhooksTab() {
  const { data, error, refetch } = useQueueSettings()
  if (error && !data) return <FailedToLoad what="the webhooks" error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton className="h-56 w-full" />
  return <WebhookForm settings={data} />
}

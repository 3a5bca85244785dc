/** Log section, with a hint on how to log while it is empty. */

import { FailedToLoad } from '../../../ui/FailedToLoad.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { Section } from '../Section.tsx'
import type { JobData } from '../use-job.ts'
import { LogTail } from './LogTail.tsx'
import { useLogs } from './use-logs.ts'

export function LogPanel({ job: { id, status } }: { job: JobData }) {
  const { data, error, refetch } = useLogs(id)
  if (error && !data) return <FailedToLoad what="the log" error={error} onRetry={() => void refetch()} />
  return (
    <Section name="Log">
      {(data?.rows.length ?? 0) === 0 && <h2 className="mb-2 font-semibold">Log</h2>}
      {!data ? (
        <Skeleton className="h-24 w-full" />
      ) : data.rows.length > 0 ? (
        <LogTail log={data} isRunning={status === 'processing'} />
      ) : (
        <p className="text-muted">
          No log lines yet. Handlers write them with{' '}
          <code className="font-mono text-ink text-xs">{"job.log('…')"}</code>; for shell jobs, all output is logged.
        </p>
      )}
    </Section>
  )
}

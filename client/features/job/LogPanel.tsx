/** The log of a job, or how a handler writes one. */

import { FailedToLoad } from '../../ui/FailedToLoad.tsx'
import { Bone } from '../../ui/Skeleton.tsx'
import { LogTail } from './LogTail.tsx'
import { Section } from './Section.tsx'
import type { JobData } from './use-job.ts'
import { useLogs } from './use-logs.ts'

export function LogPanel({ job: { id, status } }: { job: JobData }) {
  const { data, error, refetch } = useLogs(id)
  if (error && !data) return <FailedToLoad what="the log" error={error} onRetry={() => void refetch()} />
  return (
    <Section name="Log">
      {(data?.rows.length ?? 0) === 0 && <h2 className="mb-2 font-semibold">Log</h2>}
      {!data ? (
        <Bone className="h-24 w-full" />
      ) : data.rows.length > 0 ? (
        <LogTail log={data} isRunning={status === 'processing'} />
      ) : (
        <p className="text-muted">
          Nothing yet. Handlers write here with <code className="font-mono text-ink text-xs">{"job.log('…')"}</code> and
          commands with everything they print.
        </p>
      )}
    </Section>
  )
}

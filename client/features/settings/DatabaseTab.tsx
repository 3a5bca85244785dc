/** Database tab: kind, location, durability and size. */
import type { ReactNode } from 'react'
import { api } from '../../lib/api.ts'
import { FailedToLoad } from '../../ui/FailedToLoad.tsx'
import { Panel } from '../../ui/Panel.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { formatBytes } from './format-bytes.ts'

const POLL_EVERY_MS = 10_000
const NAMES = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const

export function DatabaseTab() {
  const { data, error, refetch } = api.facts.useQuery(undefined, { refetchInterval: POLL_EVERY_MS })
  if (error && !data) return <FailedToLoad what="the database" error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton className="h-56 w-full" />
  const { dialect, version, location, durability, sizeBytes, walBytes, isFull } = data
  return (
    <Panel title="Database">
      {durability === 'normal' && (
        <Warning tone="pending">
          Commits are acknowledged before they are on disk. A power loss can lose the latest ones; a crash of the server
          cannot. Use DURABILITY=full if no job may be lost.
        </Warning>
      )}
      {isFull && (
        <Warning tone="failed">
          The disk is almost full. New jobs are rejected until space is freed; running jobs can still finish.
        </Warning>
      )}
      <dl className="grid divide-y divide-line/60">
        <Detail name="Kind">
          {NAMES[dialect]} {version}
        </Detail>
        <Detail name="Location">
          <code className="font-mono text-xs wrap-anywhere">{location}</code>
        </Detail>
        <Detail name="Durability">
          {durability === 'full'
            ? 'full: acknowledged after the commit is on disk'
            : 'normal: acknowledged before the commit is on disk'}
        </Detail>
        <Detail name="Size">{formatBytes(sizeBytes)}</Detail>
        <Detail name="Write-ahead log">
          {dialect === 'sqlite' ? formatBytes(walBytes) : 'managed by the database server'}
        </Detail>
      </dl>
    </Panel>
  )
}

function Detail({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="grid gap-x-4 py-2 sm:grid-cols-[10rem_minmax(0,1fr)]">
      <dt className="text-muted">{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function Warning({ tone, children }: { tone: string; children: ReactNode }) {
  return (
    <p role="alert" data-tone={tone} className="mb-3 max-w-prose rounded-md bg-tone/14 px-3 py-2 text-tone-ink">
      {children}
    </p>
  )
}

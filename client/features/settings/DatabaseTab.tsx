/** What keeps the jobs, and how safely. */
import type { ReactNode } from 'react'
import { api } from '../../lib/api.ts'
import { FailedToLoad } from '../../ui/FailedToLoad.tsx'
import { Panel } from '../../ui/Panel.tsx'
import { Bone } from '../../ui/Skeleton.tsx'
import { formatBytes } from './bytes.ts'

const POLL_EVERY_MS = 10_000
const NAMES = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const

export function DatabaseTab() {
  const { data, error, refetch } = api.facts.useQuery(undefined, { refetchInterval: POLL_EVERY_MS })
  if (error && !data) return <FailedToLoad what="the database" error={error} onRetry={() => void refetch()} />
  if (!data) return <Bone className="h-56 w-full" />
  const { dialect, version, location, durability, sizeBytes, walBytes, isFull } = data
  return (
    <Panel title="Database">
      {durability === 'normal' && (
        <Warning tone="pending">
          Commits are answered before they are on disk: a power loss may take the last moments with it. A crash of the
          server does not. Run the server with full durability where every job counts.
        </Warning>
      )}
      {isFull && (
        <Warning tone="failed">
          The disk is almost full: new jobs are refused until there is room. Workers can still finish what there is.
        </Warning>
      )}
      <dl className="grid divide-y divide-line/60">
        <Fact name="Kind">
          {NAMES[dialect]} {version}
        </Fact>
        <Fact name="Location">
          <code className="font-mono text-xs wrap-anywhere">{location}</code>
        </Fact>
        <Fact name="Durability">
          {durability === 'full' ? 'full: an answer means it is on disk' : 'normal: on disk a moment later'}
        </Fact>
        <Fact name="Size">{formatBytes(sizeBytes)}</Fact>
        <Fact name="Write-ahead log">
          {dialect === 'sqlite' ? formatBytes(walBytes) : 'kept by the database server'}
        </Fact>
      </dl>
    </Panel>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
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

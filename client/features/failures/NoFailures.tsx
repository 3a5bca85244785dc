/** Empty state of the failures page, with commands that cause a failure. */

import { serverUrl } from '../../lib/server-url.ts'
import { CopyBlock } from '../../ui/CopyBlock.tsx'
import { Panel } from '../../ui/Panel.tsx'

export function NoFailures({ type }: { type: string | null }) {
  return (
    <Panel title={type === null ? 'No failures in the last 7 days' : `No failures of ${type} in the last 7 days`}>
      <p className="mb-4 max-w-prose text-muted">
        Failed attempts appear here automatically, grouped by type and error message. Differences in numbers, IDs,
        addresses and quoted text are ignored. Each group links to its jobs and can be retried as a whole.
      </p>
      {type === null && (
        <div className="grid gap-4 lg:grid-cols-2 lg:gap-6">
          <CopyBlock label="Enqueue a command that fails" code={enqueueLine()} />
          <CopyBlock label="Run it with a shell worker" code={workLine()} />
        </div>
      )}
    </Panel>
  )
}

function enqueueLine(): string {
  return `queuectl --url ${serverUrl()} enqueue --command "ls /no/such/folder"`
}

function workLine(): string {
  return `queuectl --url ${serverUrl()} worker start`
}

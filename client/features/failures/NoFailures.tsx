/** What the page shows while nothing has failed, and how to see a failure once. */

import { CopyBlock } from '../../ui/CopyBlock.tsx'
import { Panel } from '../../ui/Panel.tsx'
import { serverUrl } from '../workers/server-url.ts'

export function NoFailures({ type }: { type: string | null }) {
  return (
    <Panel title={type === null ? 'Nothing failed in the last seven days' : `Nothing of ${type} failed in seven days`}>
      <p className="mb-4 max-w-prose text-muted">
        Failed attempts appear here by themselves, grouped by type and by what their messages have in common: numbers,
        ids, addresses and quoted words do not tell them apart. From a group it is one click to its jobs, and one to
        retry them.
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

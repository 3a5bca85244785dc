/** What the page shows on a new queue: a type is known once a job has it, or once code declares it. */
import { addressOf } from '../../lib/api.ts'
import { CopyBlock } from '../../ui/CopyBlock.tsx'
import { Panel } from '../../ui/Panel.tsx'
import { serverUrl } from '../workers/server-url.ts'

export function NoTypes() {
  return (
    <Panel title="No types yet">
      <p className="mb-4 max-w-prose text-muted">
        A type is known here from its first job on, or when code declares it with its limits. Operators can then
        override each limit on this page, without a restart.
      </p>
      <div className="grid gap-4 lg:grid-cols-2 lg:gap-6">
        <CopyBlock label="A first job with curl" code={curlLine()} />
        <CopyBlock label="Declare a type in TypeScript" code={snippet()} />
      </div>
    </Panel>
  )
}

function curlLine(): string {
  const body = JSON.stringify({ type: 'send_email', payload: { to: 'ada@example.com' } })
  return `curl -X POST ${addressOf('trpc/enqueue')} -H 'content-type: application/json' -d '${body}'`
}

function snippet(): string {
  return `import { openQueue } from 'millrace'

const queue = await openQueue('${serverUrl()}')
await queue.declareTypes({
  types: [{ name: 'send_email', settings: { rate: 10, maxAttempts: 5, timeoutMs: 60_000 } }],
})`
}

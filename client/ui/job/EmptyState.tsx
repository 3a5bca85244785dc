/** Empty state of a new queue: how to enqueue and process the first job. */
import { addressOf } from '../../lib/api.ts'
import { useCurlToken } from '../../session/curl-token.ts'
import { CopyBlock } from '../CopyBlock.tsx'
import { Panel } from '../Panel.tsx'

export function EmptyState() {
  return (
    <Panel title="No jobs yet">
      <p className="mb-4 max-w-prose text-muted">
        Enqueue the first job from a terminal; it appears here at once. A job stays{' '}
        <em className="text-ink not-italic">pending</em> until a worker claims it.
      </p>
      <div className="grid gap-4 lg:grid-cols-2 lg:gap-6">
        <CopyBlock label="Enqueue with curl" code={curlLine() + useCurlToken()} />
        <CopyBlock label="Enqueue and work in TypeScript" code={snippet()} />
      </div>
    </Panel>
  )
}

function curlLine(): string {
  const payload = JSON.stringify({ type: 'hello', payload: { name: 'world' } })
  return `curl -X POST ${addressOf('trpc/enqueue')} -H 'content-type: application/json' -d '${payload}'`
}

function snippet(): string {
  return `import { createTRPCClient, httpBatchLink } from '@trpc/client'
import type { AppRouter } from 'millrace'

const url = '${addressOf('trpc')}'
const queue = createTRPCClient<AppRouter>({ links: [httpBatchLink({ url })] })

await queue.enqueue.mutate({ type: 'hello', payload: { name: 'world' } })

const [job] = await queue.claim.mutate({ worker: 'me' })
if (job) await queue.complete.mutate({ id: job.id, version: job.version })`
}

/** Empty state of the groups page: how to enqueue a job with a key, and how to declare limits. */
import { addressOf } from '../../../lib/api.ts'
import { serverUrl } from '../../../lib/server-url.ts'
import { useCurlToken } from '../../../session/curl-token.ts'
import { CopyBlock } from '../../../ui/CopyBlock.tsx'
import { Panel } from '../../../ui/Panel.tsx'

export function NoGroups() {
  return (
    <Panel title="No groups yet">
      <p className="mb-4 max-w-prose text-muted">
        Jobs with a key form a group: the keys take turns, so that one busy tenant does not delay the others. A type can
        limit how many jobs of each key run at the same time, how many start per second, and in which order. Jobs beyond
        a limit are <em className="text-ink not-italic">blocked</em> until their key has room.
      </p>
      <div className="grid gap-4 lg:grid-cols-2 lg:gap-6">
        <CopyBlock label="Enqueue a job with a key" code={curlLine() + useCurlToken()} />
        <CopyBlock label="Declare limits in TypeScript" code={snippet()} />
      </div>
    </Panel>
  )
}

function curlLine(): string {
  const body = JSON.stringify({ type: 'sync_tenant', payload: { tenantId: 'acme' }, group: 'acme' })
  return `curl -X POST ${addressOf('trpc/enqueue')} -H 'content-type: application/json' -d '${body}'`
}

function snippet(): string {
  return `import { openQueue } from 'millrace'

const queue = await openQueue('${serverUrl()}')
const group = { key: '/tenantId', concurrency: 2, rate: { limit: 10, perMs: 1_000 } }
await queue.declareTypes({ types: [{ name: 'sync_tenant', settings: { group } }] })`
}

/** Empty state of the types page. */
import { addressOf } from '../../lib/api.ts'
import { serverUrl } from '../../lib/server-url.ts'
import { CopyBlock } from '../../ui/CopyBlock.tsx'
import { Panel } from '../../ui/Panel.tsx'

export function NoTypes() {
  return (
    <Panel title="No types yet">
      <p className="mb-4 max-w-prose text-muted">
        A type appears here with its first job, or when code declares it. Its limits can then be overridden on this
        page, without a restart.
      </p>
      <div className="grid gap-4 lg:grid-cols-2 lg:gap-6">
        <CopyBlock label="Enqueue a job with curl" code={curlLine()} />
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

/** Empty state of the workers page: how to start a worker for this server. */

import { serverUrl } from '../../lib/server-url.ts'
import { useSession } from '../../session/use-session.ts'
import { CopyBlock } from '../../ui/CopyBlock.tsx'
import { Panel } from '../../ui/Panel.tsx'

export function NoWorkers() {
  if (useSession()?.by === 'application') return <InApplication />
  return (
    <Panel title="No worker is online">
      <p className="mb-4 max-w-prose text-muted">
        Jobs wait until a worker claims them. A worker is your own process, connected to this server; it appears here
        with its first claim. If the server requires a token, use one with the scopes{' '}
        <em className="text-ink not-italic">work</em> and <em className="text-ink not-italic">read</em>.
      </p>
      <div className="grid gap-4 lg:grid-cols-2 lg:gap-6">
        <CopyBlock label="Worker in TypeScript" code={snippet()} />
        <CopyBlock label="Worker for shell commands" code={`queuectl --url ${serverUrl()} worker start --count 4`} />
      </div>
    </Panel>
  )
}

/** Mounted in an application: a worker opens the database directly and needs no token. */
function InApplication() {
  return (
    <Panel title="No worker is online">
      <p className="mb-4 max-w-prose text-muted">
        Jobs wait until a worker claims them. A worker is your own process that opens the same database as your
        application; it appears here with its first claim.
      </p>
      <CopyBlock label="Worker in TypeScript" code={snippet('process.env.DATABASE_URL')} />
    </Panel>
  )
}

function snippet(target = `'${serverUrl()}', { token: process.env.AUTH_TOKEN }`): string {
  return `import { openQueue, startWorker } from 'millrace'

const queue = await openQueue(${target})
const worker = startWorker(queue, {
  hello: async ({ payload, log }) => log(\`hello \${JSON.stringify(payload)}\`),
})

process.once('SIGTERM', () => worker.stop())`
}

/** How to start a worker for this very server. */

import { useSession } from '../../session/use-session.ts'
import { CopyBlock } from '../../ui/CopyBlock.tsx'
import { Panel } from '../../ui/Panel.tsx'
import { serverUrl } from './server-url.ts'

export function NoWorkers() {
  if (useSession()?.by === 'application') return <InApplication />
  return (
    <Panel title="Nobody works on this queue at the moment">
      <p className="mb-4 max-w-prose text-muted">
        Jobs wait until a worker claims them. A worker is a process of yours that connects to this server; it appears
        here with its first claim. Where the server asks for a token, give it one with the scopes{' '}
        <em className="text-ink not-italic">work</em> and <em className="text-ink not-italic">read</em>.
      </p>
      <div className="grid gap-4 lg:grid-cols-2 lg:gap-6">
        <CopyBlock label="A worker in TypeScript" code={snippet()} />
        <CopyBlock label="A worker for command lines" code={`queuectl --url ${serverUrl()} worker start --count 4`} />
      </div>
    </Panel>
  )
}

/** A worker on the queue's own database needs nobody's leave. */
function InApplication() {
  return (
    <Panel title="Nobody works on this queue at the moment">
      <p className="mb-4 max-w-prose text-muted">
        Jobs wait until a worker claims them. A worker is a process of yours that opens the queue where your application
        does; it appears here with its first claim.
      </p>
      <CopyBlock label="A worker in TypeScript" code={snippet('process.env.DATABASE_URL')} />
    </Panel>
  )
}

function snippet(opened = `'${serverUrl()}', { token: process.env.AUTH_TOKEN }`): string {
  return `import { openQueue, startWorker } from 'millrace'

const queue = await openQueue(${opened})
const worker = startWorker(queue, {
  hello: async ({ payload, log }) => log(\`hello \${JSON.stringify(payload)}\`),
})

process.once('SIGTERM', () => worker.stop())`
}

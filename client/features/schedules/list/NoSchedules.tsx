/** Empty state of the schedules page: how to create a schedule, and how to declare it. */
import { serverUrl } from '../../../lib/server-url.ts'
import { CopyBlock } from '../../../ui/CopyBlock.tsx'
import { Panel } from '../../../ui/Panel.tsx'

export function NoSchedules() {
  return (
    <Panel title="No schedules yet">
      <p className="mb-4 max-w-prose text-muted">
        A schedule enqueues a job at each tick of its rule: a cron expression in a time zone, or an interval. Each tick
        gives exactly one job, however many servers run. Declare schedules in code, or create them here or with
        queuectl.
      </p>
      <div className="grid gap-4 lg:grid-cols-2 lg:gap-6">
        <CopyBlock label="Create a schedule with queuectl" code={COMMAND} />
        <CopyBlock label="Declare it in TypeScript" code={snippet()} />
      </div>
    </Panel>
  )
}

const COMMAND = `queuectl schedule create nightly --type report --cron "0 3 * * *" --timezone Europe/Berlin --payload '{"format":"pdf"}'`

function snippet(): string {
  return `import { createWorker, defineSchedules, openQueue } from 'millrace'

const schedules = defineSchedules(jobs, {
  nightly: { job: 'report', payload: { format: 'pdf' }, cron: '0 3 * * *', timezone: 'Europe/Berlin' },
})
const queue = await openQueue('${serverUrl()}')
createWorker(queue, jobs, handlers, { schedules })`
}

/** Details of a failure group: times, a sample job and its full error. */
import { Link } from 'wouter'
import { Age } from '../../ui/Age.tsx'
import { CopyBlock } from '../../ui/CopyBlock.tsx'
import type { FailureGroup } from './use-groups.ts'

export function GroupDetail({ group: { sampleError, sampleId, firstSeenAt, lastSeenAt } }: { group: FailureGroup }) {
  return (
    <div className="grid gap-3 px-4 pb-4 sm:px-5">
      <dl className="flex flex-wrap gap-x-6 gap-y-1 text-muted">
        <Detail name="First seen">
          <Age at={firstSeenAt} />
        </Detail>
        <Detail name="Last seen">
          <Age at={lastSeenAt} />
        </Detail>
        <Detail name="Sample job">
          <Link href={`/jobs/${sampleId}`} className="font-mono text-xs underline decoration-line underline-offset-2">
            {sampleId}
          </Link>
        </Detail>
      </dl>
      <div className="max-h-72 overflow-y-auto">
        <CopyBlock label="Error message" code={sampleError} />
      </div>
    </div>
  )
}

function Detail({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div className="flex items-baseline gap-2">
      <dt className="text-xs">{name}</dt>
      <dd className="text-ink">{children}</dd>
    </div>
  )
}

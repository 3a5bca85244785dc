/** What is known of a group besides its line: a whole message of it, since when, and a job it happened to. */
import { Link } from 'wouter'
import { Age } from '../../ui/Age.tsx'
import { CopyBlock } from '../../ui/CopyBlock.tsx'
import type { FailureGroup } from './use-groups.ts'

export function GroupDetail({ group: { sampleError, sampleId, firstSeenAt, lastSeenAt } }: { group: FailureGroup }) {
  return (
    <div className="grid gap-3 px-4 pb-4 sm:px-5">
      <dl className="flex flex-wrap gap-x-6 gap-y-1 text-muted">
        <Fact name="First seen">
          <Age at={firstSeenAt} /> ago
        </Fact>
        <Fact name="Last seen">
          <Age at={lastSeenAt} /> ago
        </Fact>
        <Fact name="A recent job">
          <Link href={`/jobs/${sampleId}`} className="font-mono text-xs underline decoration-line underline-offset-2">
            {sampleId}
          </Link>
        </Fact>
      </dl>
      <div className="max-h-72 overflow-y-auto">
        <CopyBlock label="Its message" code={sampleError} />
      </div>
    </div>
  )
}

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div className="flex items-baseline gap-2">
      <dt className="text-xs">{name}</dt>
      <dd className="text-ink">{children}</dd>
    </div>
  )
}

/** New job page. `?type=` preselects a type, `?from=` clones a job. */
import { useSearchParams } from 'wouter'
import { api } from '../../lib/api.ts'
import { redactionRules } from '../../lib/redaction.ts'
import { MissingScope } from '../../session/MissingScope.tsx'
import { FailedToLoad } from '../../ui/FailedToLoad.tsx'
import { PageHead } from '../../ui/PageHead.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { draftFrom, EMPTY } from './draft/draft.ts'
import { JobForm } from './JobForm.tsx'
import { useKnownTypes } from './use-known-types.ts'

export function NewJob() {
  const [params] = useSearchParams()
  const from = params.get('from')
  return (
    <>
      <PageHead title="New job" />
      <MissingScope scope="produce">
        Enqueueing requires the <code>produce</code> scope. You can still prepare a job and copy its command.
      </MissingScope>
      {from === null ? <EmptyForm /> : <ClonedForm key={from} id={from} />}
    </>
  )
}

function EmptyForm() {
  const known = useKnownTypes()
  return known.isLoading ? <LoadingForm /> : <JobForm types={known.types} initial={EMPTY} />
}

function ClonedForm({ id }: { id: string }) {
  const known = useKnownTypes()
  // Read once: later changes of the original do not affect the clone.
  const {
    data: job,
    error,
    refetch,
  } = api.get.useQuery({ id }, { staleTime: Number.POSITIVE_INFINITY, refetchOnWindowFocus: false })
  if (error && !job) return <FailedToLoad what="the job to clone" error={error} onRetry={() => void refetch()} />
  if (!job || known.isLoading) return <LoadingForm />
  // With a pointer the key follows the payload, which may be edited.
  const isKeyInPayload = (known.types.get(job.type)?.keyPointer ?? null) !== null
  const copied = isKeyInPayload ? { ...job, groupKey: null } : job
  return <JobForm types={known.types} initial={draftFrom(copied, redactionRules())} origin={job} />
}

function LoadingForm() {
  return (
    <div aria-busy="true" className="grid max-w-2xl gap-4">
      <Skeleton className="h-14 w-full" />
      <Skeleton className="h-56 w-full" />
      <Skeleton className="h-32 w-full" />
    </div>
  )
}

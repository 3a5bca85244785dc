/** Writes a job and enqueues it; `?type=` chooses the type, `?from=` begins with what another job was. */
import { useSearchParams } from 'wouter'
import { api } from '../../lib/api.ts'
import { Lacking } from '../../session/MissingScope.tsx'
import { FailedToLoad } from '../../ui/FailedToLoad.tsx'
import { PageHead } from '../../ui/PageHead.tsx'
import { Bone } from '../../ui/Skeleton.tsx'
import { redactionRules } from '../settings/redaction.ts'
import { draftFrom, EMPTY } from './draft.ts'
import { JobForm } from './JobForm.tsx'
import { useKnownTypes } from './use-known-types.ts'

export function NewJob() {
  const [params] = useSearchParams()
  const from = params.get('from')
  return (
    <>
      <PageHead title="New job" />
      <Lacking scope="produce">
        You can write a job and take it to a terminal; to enqueue it from here, your token needs the scope produce.
      </Lacking>
      {from === null ? <Fresh /> : <Cloned key={from} id={from} />}
    </>
  )
}

function Fresh() {
  const known = useKnownTypes()
  return known.isLoading ? <Skeleton /> : <JobForm types={known.types} first={EMPTY} />
}

function Cloned({ id }: { id: string }) {
  const known = useKnownTypes()
  // What it begins with is read once: the job's later life does not matter here.
  const {
    data: job,
    error,
    refetch,
  } = api.get.useQuery({ id }, { staleTime: Number.POSITIVE_INFINITY, refetchOnWindowFocus: false })
  if (error && !job) return <FailedToLoad what="the job to clone" error={error} onRetry={() => void refetch()} />
  if (!job || known.isLoading) return <Skeleton />
  return <JobForm types={known.types} first={draftFrom(job, redactionRules())} origin={job} />
}

function Skeleton() {
  return (
    <div aria-busy="true" className="grid max-w-2xl gap-4">
      <Bone className="h-14 w-full" />
      <Bone className="h-56 w-full" />
      <Bone className="h-32 w-full" />
    </div>
  )
}

/** Loads what the form starts from: nothing for a new schedule, or a stored one. */
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { ScheduleRow } from '../../../../shared/schedules/schedule.ts'
import { api } from '../../../lib/api.ts'
import { usePageName } from '../../../lib/browser/page-name.ts'
import { redactionRules } from '../../../lib/redaction.ts'
import { scheduleAddress } from '../../../lib/schedules-address.ts'
import { toasts } from '../../../lib/toasts.ts'
import { MissingScope } from '../../../session/MissingScope.tsx'
import { FailedToLoad } from '../../../ui/FailedToLoad.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { Subhead } from '../../../ui/Subhead.tsx'
import { toDetails } from '../to-row.ts'
import { baseOf, changeOf, newBase } from './draft.ts'
import { ScheduleForm } from './ScheduleForm.tsx'

export function NewSchedule() {
  const [, go] = useLocation()
  const { schedules } = api.useUtils()
  const create = api.schedules.create.useMutation()
  const [base] = useState(() => newBase(Intl.DateTimeFormat().resolvedOptions().timeZone))
  usePageName('New schedule')
  return (
    <>
      <Subhead title="New schedule" badges={null} back="Schedules" backTo="/schedules" actions={null}>
        <p className="text-muted">Created here, it belongs to operators: no code declares it.</p>
      </Subhead>
      <MissingScope scope="admin">Creating a schedule requires the admin scope.</MissingScope>
      <ScheduleForm
        base={base}
        row={null}
        submitLabel="Create"
        isSaving={create.isPending}
        onCancel={() => go('/schedules')}
        onSubmit={(name, settings, onError) =>
          create.mutate(
            { name, ...settings },
            {
              onError,
              onSuccess: () => {
                toasts.show(`Created ${name}.`)
                void schedules.invalidate()
                go(scheduleAddress(name), { replace: true })
              },
            },
          )
        }
      />
    </>
  )
}

export function EditSchedule({ name }: { name: string }) {
  const query = api.schedules.get.useQuery({ name }, { refetchOnMount: 'always', select: toDetails })
  const { data: row, error, isFetchedAfterMount, refetch } = query
  usePageName(`Edit ${name}`)
  return (
    <>
      <Subhead title={`Edit ${name}`} badges={null} back={name} backTo={scheduleAddress(name)} actions={null}>
        {row?.owner && (
          <p className="text-muted">
            Overrides what {row.owner} declares, immediately and without a restart. The declared value is shown below
            each field that differs.
          </p>
        )}
      </Subhead>
      <MissingScope scope="admin">Changing a schedule requires the admin scope.</MissingScope>
      {row && isFetchedAfterMount ? (
        <EditForm row={row} />
      ) : error ? (
        <FailedToLoad what="the schedule" error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton className="h-96 w-full" />
      )}
    </>
  )
}

function EditForm({ row }: { row: ScheduleRow }) {
  const [, go] = useLocation()
  const { schedules } = api.useUtils()
  const update = api.schedules.update.useMutation()
  // The first reading: compared with a later one, a change of another user would look like an edit, and be reverted.
  const [start] = useState(row)
  const { name } = start
  const leave = () => go(scheduleAddress(name), { replace: true })
  return (
    <ScheduleForm
      base={baseOf(start.effective, redactionRules())}
      row={start}
      submitLabel="Save"
      isSaving={update.isPending}
      onCancel={leave}
      onSubmit={(_, settings, onError) => {
        const { set, clear } = changeOf(start, settings)
        update.mutate(
          { name, set, clear: [...clear] },
          {
            onError,
            onSuccess: () => {
              toasts.show(`Saved ${name}.`)
              void schedules.invalidate()
              leave()
            },
          },
        )
      }}
    />
  )
}

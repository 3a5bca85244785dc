/** Settings in force; overrides of a declared schedule are marked and can be reset. */
import type { ReactNode } from 'react'
import type { ScheduleDetails } from '../../../../shared/schedules/schedule.ts'
import { effectiveSchedule } from '../../../../shared/schedules/settings.ts'
import { api } from '../../../lib/api.ts'
import { formatNumber } from '../../../lib/format-number.ts'
import { toasts } from '../../../lib/toasts.ts'
import { Age } from '../../../ui/Age.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { hiddenOverrides, type SettingKey, settingRows } from './setting-rows.ts'

export function Settings({ row }: { row: ScheduleDetails | undefined }) {
  const { schedules } = api.useUtils()
  const update = api.schedules.update.useMutation({
    onError: (error) => void toasts.showError(error),
    onSettled: () => schedules.invalidate(),
  })
  const reset = (name: string, clear: SettingKey[], what: string) =>
    update.mutate({ name, clear }, { onSuccess: () => toasts.show(`Reset ${what} of ${name} to the declared value.`) })
  return (
    <section aria-label="Settings" className="rounded-lg bg-surface px-4 py-4 ring-1 ring-line sm:px-5">
      <h2 className="mb-2 font-semibold">Settings</h2>
      {row === undefined ? (
        <Skeleton className="h-40 w-full" />
      ) : (
        <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1.5">
          {entriesOf(row).map(({ keys, name, text, declared }) => (
            <Entry key={name} name={name}>
              {text}
              {declared !== null && (
                <span data-testid="override" className="mt-0.5 flex flex-wrap items-center gap-x-2 text-muted text-xs">
                  declared: {declared === '' ? 'none' : declared}
                  <Button
                    isSmall
                    needs="admin"
                    weight="quiet"
                    disabled={update.isPending}
                    onClick={() => reset(row.name, [...keys], name.toLowerCase())}
                    aria-label={`Reset ${name}`}
                    className="-mx-2"
                  >
                    Reset
                  </Button>
                </span>
              )}
            </Entry>
          ))}
          <Entry name="Runs">{formatNumber(row.runs)}</Entry>
          <Entry name="Last success">
            {row.lastSuccessAt === null ? <span className="text-faint">none</span> : <Age at={row.lastSuccessAt} />}
          </Entry>
          {row.lastFailureAt !== null && (
            <Entry name="Last failure">
              <Age at={row.lastFailureAt} />
              {row.failures > 1 && ` (${formatNumber(row.failures)} in a row)`}
            </Entry>
          )}
          <Entry name="Changed">
            <Age at={row.updatedAt} />
          </Entry>
        </dl>
      )}
    </section>
  )
}

interface EntryData {
  readonly keys: readonly SettingKey[]
  readonly name: string
  readonly text: string
  /** Text of the declared value that is overridden; null: not overridden. */
  readonly declared: string | null
}

/** A schedule of an operator has no declared values, so nothing of it is an override. */
function entriesOf({ declared, override, effective }: ScheduleDetails): readonly EntryData[] {
  const rows = settingRows(effective)
  if (declared === null) return rows.map((row) => ({ ...row, declared: null }))
  const declaredRows = settingRows(effectiveSchedule(declared, {}))
  const textOf = (keys: readonly SettingKey[]) =>
    declaredRows.find((row) => row.keys.some((key) => keys.includes(key)))?.text ?? ''
  const isOverridden = (keys: readonly SettingKey[]) => keys.some((key) => override[key] !== undefined)
  const shown = rows.map((row) => ({ ...row, declared: isOverridden(row.keys) ? textOf(row.keys) : null }))
  const removed = declaredRows
    .filter(({ keys }) => hiddenOverrides(override, rows).some((key) => keys.includes(key)))
    .map(({ keys, name, text }) => ({ keys, name, text: 'none', declared: text }))
  const payload = override.payload === undefined ? [] : [PAYLOAD]
  return [...shown, ...removed, ...payload]
}

const PAYLOAD: EntryData = {
  keys: ['payload'],
  name: 'Payload',
  text: 'overridden, see below',
  declared: 'another one',
}

function Entry({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0 wrap-anywhere">{children}</dd>
    </>
  )
}

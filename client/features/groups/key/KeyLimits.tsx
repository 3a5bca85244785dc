/** Rules in force for a key, each with its source. */
import type { GroupRules } from '../../../../shared/contracts/groups.ts'
import type { GroupKeyRow, GroupRow } from '../../../../shared/groups/records.ts'
import { formatValue } from '../../../ui/form/fields.ts'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { GROUP_FIELDS } from '../rules/rule-fields.ts'

export interface KeyLimitsProps {
  readonly row: GroupKeyRow | undefined
  readonly group: GroupRow | undefined
}

export function KeyLimits({ row, group }: KeyLimitsProps) {
  return (
    <section aria-label="Limits" className="mt-4 rounded-lg bg-surface px-4 py-4 ring-1 ring-line sm:px-5">
      <h2 className="mb-2 font-semibold">Limits</h2>
      {row ? (
        <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-1.5">
          {GROUP_FIELDS.filter(({ key }) => key !== 'onDead' || row.effective.order === 'strict').map((field) => (
            <div key={field.key} className="contents">
              <dt className="text-muted">{field.label}</dt>
              <dd>
                {formatValue(field, field.read(row.effective) ?? null)}
                <span className="text-faint"> ({sourceOf(field.key, row, group)})</span>
              </dd>
            </div>
          ))}
        </dl>
      ) : (
        <Skeleton className="h-32 w-full" />
      )}
    </section>
  )
}

function sourceOf(rule: string, { override, effective }: GroupKeyRow, group: GroupRow | undefined): string {
  if (rule === 'concurrency' && effective.order === 'strict') return 'strict order'
  const isIn = (rules: GroupRules = {}) => Object.hasOwn(rules, rule)
  if (isIn(override)) return 'of this key'
  if (isIn(group?.override)) return 'set for the group'
  return isIn(group?.declared) ? 'declared' : 'default'
}

/** Limits of a type on one line, with overridden ones underlined, and a link to its group. */
import { Link } from 'wouter'
import { formatDuration } from '../../../shared/duration.ts'
import type { EffectiveSettings, TypeSettings } from '../../../shared/settings/settings.ts'
import { formatNumber } from '../../lib/format-number.ts'
import { groupAddress } from '../../lib/groups-address.ts'

export interface LimitsProps {
  readonly name: string
  readonly effective: EffectiveSettings
  readonly override: TypeSettings
}

export function Limits({ name, effective, override }: LimitsProps) {
  const { group } = effective
  const groupName = group?.name ?? name
  return (
    <p className="truncate text-muted text-xs">
      {group && (
        <>
          <Link href={groupAddress(groupName)} className="underline decoration-line underline-offset-2 hover:text-ink">
            {groupName === name ? 'grouped' : `group ${groupName}`}
            {group.key !== undefined && ` by ${group.key}`}
          </Link>
          {' · '}
        </>
      )}
      {limitsOf(effective, override).map(({ text, isOverridden }, index) => (
        <span key={text}>
          {index > 0 && ' · '}
          <span
            title={isOverridden ? 'Overridden by an operator' : undefined}
            className={isOverridden ? 'font-medium text-ink underline decoration-dotted underline-offset-2' : ''}
          >
            {text}
          </span>
        </span>
      ))}
    </p>
  )
}

interface Limit {
  readonly text: string
  readonly isOverridden: boolean
}

function limitsOf(effective: EffectiveSettings, override: TypeSettings): readonly Limit[] {
  const { rate, burst, maxConcurrency, maxAttempts, timeoutMs, retentionMs } = effective
  const limit = (text: string, ...keys: readonly (keyof TypeSettings)[]): Limit => ({
    text,
    isOverridden: keys.some((key) => override[key] !== undefined),
  })
  return [
    ...(rate === null ? [] : [limit(formatRate(rate, burst), 'rate', 'burst')]),
    ...(maxConcurrency === null ? [] : [limit(`${formatNumber(maxConcurrency)} concurrent`, 'maxConcurrency')]),
    limit(maxAttempts === 1 ? '1 attempt' : `${formatNumber(maxAttempts)} attempts`, 'maxAttempts'),
    ...(timeoutMs === null ? [] : [limit(`${formatDuration(timeoutMs)} timeout`, 'timeoutMs')]),
    limit(`${formatDuration(retentionMs)} retention`, 'retentionMs'),
  ]
}

/** The default burst, one second of the rate, is not shown. */
function formatRate(rate: number, burst: number | null): string {
  const isDefault = burst === null || burst === Math.max(1, Math.ceil(rate))
  return `${formatNumber(rate)}/s${isDefault ? '' : `, burst ${formatNumber(burst)}`}`
}

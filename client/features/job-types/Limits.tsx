/** Limits of a type on one line, with overridden ones underlined. */
import { formatDuration } from '../../../shared/duration.ts'
import type { EffectiveSettings, TypeSettings } from '../../../shared/settings/settings.ts'
import { formatNumber } from '../../lib/format-number.ts'

export function Limits({ effective, override }: { effective: EffectiveSettings; override: TypeSettings }) {
  return (
    <p className="truncate text-muted text-xs">
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

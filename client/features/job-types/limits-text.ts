/** What limits a type, in a few words; what an operator has set is marked by the caller. */
import type { EffectiveSettings, TypeSettings } from '../../../shared/settings.ts'
import { formatNumber } from '../../lib/format-number.ts'
import { durationText } from '../settings/form/duration-text.ts'

export interface Limit {
  readonly text: string
  readonly isOverridden: boolean
}

export function limitsOf(effective: EffectiveSettings, override: TypeSettings): readonly Limit[] {
  const { rate, burst, maxConcurrency, maxAttempts, timeoutMs } = effective
  const limit = (text: string, ...keys: readonly (keyof TypeSettings)[]): Limit => ({
    text,
    isOverridden: keys.some((key) => override[key] !== undefined),
  })
  return [
    ...(rate === null ? [] : [limit(rateText(rate, burst), 'rate', 'burst')]),
    ...(maxConcurrency === null ? [] : [limit(`${formatNumber(maxConcurrency)} at once`, 'maxConcurrency')]),
    limit(maxAttempts === 1 ? '1 attempt' : `${formatNumber(maxAttempts)} attempts`, 'maxAttempts'),
    ...(timeoutMs === null ? [] : [limit(`${durationText(timeoutMs)} each`, 'timeoutMs')]),
    limit(`kept ${durationText(effective.retentionMs)}`, 'retentionMs'),
  ]
}

function rateText(rate: number, burst: number | null): string {
  return `${formatNumber(rate)}/s${burst === null || burst === Math.max(1, Math.ceil(rate)) ? '' : `, burst ${formatNumber(burst)}`}`
}

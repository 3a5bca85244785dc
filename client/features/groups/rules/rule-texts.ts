/** Texts for the rules of a group, one phrase per rule. */
import type { GroupRules } from '../../../../shared/contracts/groups.ts'
import { type EffectiveGroupRules, effectiveGroupRules } from '../../../../shared/groups/rules.ts'
import { formatNumber } from '../../../lib/format-number.ts'
import { formatRate } from './rate.ts'

export interface RuleText {
  readonly text: string
  /** Set by an operator. */
  readonly isOverridden: boolean
}

const WHEN_FULL_TEXTS = {
  wait: 'new jobs wait when full',
  skip: 'new jobs are skipped when full',
  replace: 'a new job replaces the waiting ones when full',
  cancel: 'a new job cancels the running ones when full',
} as const

/** A rule with its default value is left out, unless an operator has set it. */
export function ruleTextsOf(effective: EffectiveGroupRules, override: GroupRules): readonly RuleText[] {
  const { concurrency, rate, window, order, whenFull, onDead } = effective
  const isStrict = order === 'strict'
  const texts: RuleText[] = []
  function add(text: string, isShown: boolean, ...keys: readonly (keyof GroupRules)[]): void {
    const isOverridden = keys.some((key) => override[key] !== undefined)
    if (isShown || isOverridden) texts.push({ text, isOverridden })
  }
  if (isStrict) add('one at a time, in order', true, 'order', 'concurrency')
  else if (concurrency === null) add('no limit, keys take turns', rate === null, 'concurrency')
  else add(`${formatNumber(concurrency)} at a time`, true, 'concurrency')
  if (!isStrict) add('keys take turns', false, 'order')
  add(rate === null ? 'no rate limit' : formatRate(rate), rate !== null, 'rate')
  const isDefaultWindow = window === effectiveGroupRules({ concurrency }).window
  add(`${formatNumber(window)} ready per key`, !isDefaultWindow, 'window')
  add(WHEN_FULL_TEXTS[whenFull], whenFull !== 'wait', 'whenFull')
  if (isStrict)
    add(onDead === 'stop' ? 'stops after a failed job' : 'continues after a failed job', onDead === 'stop', 'onDead')
  return texts
}

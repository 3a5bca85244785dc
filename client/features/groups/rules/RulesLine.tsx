/** Rules on one line, with overridden ones underlined. */
import type { GroupRules } from '../../../../shared/contracts/groups.ts'
import type { EffectiveGroupRules } from '../../../../shared/groups/rules.ts'
import { ruleTextsOf } from './rule-texts.ts'

export interface RulesLineProps {
  readonly effective: EffectiveGroupRules
  readonly override: GroupRules
  readonly className?: string
}

export function RulesLine({ effective, override, className = '' }: RulesLineProps) {
  return (
    <p className={`text-muted ${className}`}>
      {ruleTextsOf(effective, override).map(({ text, isOverridden }, index) => (
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

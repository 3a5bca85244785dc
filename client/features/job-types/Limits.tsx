/** The limits of a type on one line; those an operator has set stand out. */
import type { EffectiveSettings, TypeSettings } from '../../../shared/settings.ts'
import { limitsOf } from './limits-text.ts'

export function Limits({ effective, override }: { effective: EffectiveSettings; override: TypeSettings }) {
  return (
    <p className="truncate text-muted text-xs">
      {limitsOf(effective, override).map(({ text, isOverridden }, place) => (
        <span key={text}>
          {place > 0 && ' · '}
          <span
            title={isOverridden ? 'Set by an operator' : undefined}
            className={isOverridden ? 'font-medium text-ink underline decoration-dotted underline-offset-2' : ''}
          >
            {text}
          </span>
        </span>
      ))}
    </p>
  )
}

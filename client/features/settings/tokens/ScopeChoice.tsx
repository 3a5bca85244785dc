/** Checkboxes for the scopes of a token. */
import type { Scope } from '../../../../shared/scopes.ts'
import { SCOPE_NAMES, SCOPE_TEXTS } from './scopes.ts'

export interface ScopeChoiceProps {
  readonly chosen: readonly Scope[]
  readonly onChoose: (scopes: readonly Scope[]) => void
  readonly problem: string | undefined
}

export function ScopeChoice({ chosen, onChoose, problem }: ScopeChoiceProps) {
  const toggle = (scope: Scope) =>
    onChoose(SCOPE_NAMES.filter((name) => (name === scope ? !chosen.includes(name) : chosen.includes(name))))
  return (
    <fieldset>
      <legend className="mb-1 font-medium">Scopes</legend>
      <div className="grid sm:grid-cols-2">
        {SCOPE_NAMES.map((scope) => (
          <label key={scope} className="flex cursor-pointer items-baseline gap-2 rounded-md py-1 hover:bg-raised">
            <input type="checkbox" checked={chosen.includes(scope)} onChange={() => toggle(scope)} />
            <span className="font-medium">{scope}</span>
            <span className="text-muted text-xs">{SCOPE_TEXTS[scope]}</span>
          </label>
        ))}
      </div>
      {problem !== undefined && (
        <p role="alert" data-tone="failed" className="text-tone-ink text-xs">
          {problem}
        </p>
      )}
    </fieldset>
  )
}

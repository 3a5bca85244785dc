/** Theme setting, stored in this browser. */
import { useState } from 'react'
import { applyTheme, currentTheme, THEMES, type Theme } from '../../lib/browser/theme.ts'
import { Panel } from '../../ui/Panel.tsx'

const TEXTS: Record<Theme, string> = {
  system: 'Follow the system setting',
  light: 'Always light',
  dark: 'Always dark',
}

export function ThemeTab() {
  const [theme, setTheme] = useState(currentTheme)
  function choose(chosen: Theme) {
    applyTheme(chosen)
    setTheme(chosen)
  }
  return (
    <Panel title="Theme">
      <fieldset className="grid gap-1">
        <legend className="sr-only">Theme</legend>
        {THEMES.map((name) => (
          <label key={name} className="flex cursor-pointer items-baseline gap-3 rounded-md px-2 py-1.5 hover:bg-raised">
            <input type="radio" name="theme" value={name} checked={theme === name} onChange={() => choose(name)} />
            <span className="w-16 font-medium capitalize">{name}</span>
            <span className="text-muted">{TEXTS[name]}</span>
          </label>
        ))}
      </fieldset>
    </Panel>
  )
}

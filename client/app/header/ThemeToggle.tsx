/** Button that cycles through the system, light and dark themes. */
import { useState } from 'react'
import { applyTheme, currentTheme, type Theme, themeAfter } from '../../lib/browser/theme.ts'

export function ThemeToggle() {
  const [theme, setTheme] = useState(currentTheme)
  const next = themeAfter(theme)
  const apply = () => {
    applyTheme(next)
    setTheme(next)
  }
  return (
    <button
      type="button"
      onClick={apply}
      aria-label={`Theme: ${theme}. Switch to ${next}.`}
      title={`Theme: ${theme}`}
      className="grid size-8 place-items-center rounded-md text-muted transition-colors hover:bg-raised hover:text-ink"
    >
      <svg
        viewBox="0 0 16 16"
        className="size-4"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.4"
        aria-hidden="true"
      >
        {ICONS[theme]}
      </svg>
    </button>
  )
}

const ICONS: Record<Theme, React.ReactNode> = {
  system: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="M8 2.5a5.5 5.5 0 0 1 0 11z" fill="currentColor" stroke="none" />
    </>
  ),
  light: (
    <>
      <circle cx="8" cy="8" r="2.8" />
      <path
        strokeLinecap="round"
        d="M8 1.3v1.4M8 13.3v1.4M1.3 8h1.4M13.3 8h1.4M3.26 3.26l1 1M11.74 11.74l1 1M3.26 12.74l1-1M11.74 4.26l1-1"
      />
    </>
  ),
  dark: <path strokeLinejoin="round" d="M13.3 9.6A5.6 5.6 0 0 1 6.4 2.7a5.6 5.6 0 1 0 6.9 6.9z" />,
}

/** Sticky header: navigation, connection, session and theme, with warnings below. */
import { Link } from 'wouter'
import { ConnectionState } from './ConnectionState.tsx'
import { Mark } from './Mark.tsx'
import { Nav } from './Nav.tsx'
import { PausedBadge } from './PausedBadge.tsx'
import { ServerWarnings } from './ServerWarnings.tsx'
import { SignOut } from './SignOut.tsx'
import { ThemeToggle } from './ThemeToggle.tsx'

export function Header({ onHelp }: { onHelp: () => void }) {
  return (
    <header className="sticky top-0 z-20 border-b border-line bg-canvas">
      <div className="mx-auto grid max-w-6xl grid-cols-[auto_1fr] items-center gap-x-4 px-4 sm:px-6 lg:grid-cols-[auto_1fr_auto]">
        <Link href="/" className="flex h-12 items-center gap-2 font-semibold tracking-tight">
          <Mark />
          Millrace
        </Link>
        <div className="order-3 col-span-2 min-w-0 lg:order-none lg:col-span-1">
          <Nav />
        </div>
        <div className="flex h-12 items-center justify-end gap-2">
          <ConnectionState />
          <SignOut />
          <button
            type="button"
            onClick={onHelp}
            aria-label="Keyboard shortcuts"
            title="Keyboard shortcuts (?)"
            className="hidden size-8 place-items-center rounded-md text-muted transition-colors hover:bg-raised hover:text-ink sm:grid"
          >
            ?
          </button>
          <ThemeToggle />
        </div>
      </div>
      <div role="status" className="mx-auto flex max-w-6xl flex-wrap gap-x-2 px-4 sm:px-6">
        <PausedBadge />
        <ServerWarnings />
      </div>
    </header>
  )
}

/** The bar that stays: product, warnings about the server, connection, theme. */
import { ConnectionState } from '../live/ConnectionState.tsx'
import { SignOut } from '../session/SignOut.tsx'
import { ThemeToggle } from '../theme/ThemeToggle.tsx'
import { Mark } from './Mark.tsx'
import { ServerWarnings } from './ServerWarnings.tsx'

export function Header() {
  return (
    <header className="sticky top-0 z-20 border-b border-line bg-canvas">
      <div className="mx-auto flex max-w-6xl flex-wrap items-center gap-x-4 px-4 sm:px-6">
        <div className="flex h-12 items-center gap-2 font-semibold tracking-tight">
          <Mark />
          Millrace
        </div>
        <ServerWarnings />
        <div className="ml-auto flex h-12 items-center gap-3">
          <ConnectionState />
          <SignOut />
          <ThemeToggle />
        </div>
      </div>
    </header>
  )
}
